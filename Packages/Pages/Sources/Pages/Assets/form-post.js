// Sends the answer of a sign-in on to the application that asked for it (OAuth 2.0 Form Post Response Mode).
document.getElementById("answer").submit();
