// The hosted pages: passkeys in the field and by a button, a new account with a passkey, and the passkey that is made
// without asking after a password; and the account page. Without this script the pages work by password alone, and the
// account page makes no passkeys.

import { ask, canUpgrade, conditionalCreate, creationOptions, forget, requestOptions, tell, toJSON } from "/latchkey.js";

const page = document.getElementById("page");
const transaction = page.dataset.state;
const button = document.getElementById("passkey");
let autofill = null;

start();

async function start() {
  if (page.dataset.page === "passkeys") showAccount();
  if (!window.PublicKeyCredential) {
    if (page.dataset.page === "upgrade") goOn();
    return;
  }
  switch (page.dataset.page) {
    case "login": return startLogin();
    case "signup": return startSignUp();
    case "upgrade": return upgrade();
    case "enroll-passkey": return startRecovery("/u/enroll-passkey");
    case "recover-passkey": return startRecovery("/u/recover");
    case "passkeys": return startAccount();
  }
}

// Sign in

async function startLogin() {
  await announceUpgrade();
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", () => run(async () => {
    autofill?.abort();
    const { body, session } = await call("/u/passkey/login/options", {});
    await signIn(body, session, {});
  }));
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  autofill = new AbortController();
  try {
    const { body, session } = await call("/u/passkey/login/options", { mediation: "conditional" });
    if (autofill.signal.aborted) return;
    await signIn(body, session, { mediation: "conditional", signal: autofill.signal });
  } catch (error) {
    // Nobody asked for anything yet: that the browser has nothing to offer is no news.
    if (error.name !== "AbortError" && error.name !== "NotAllowedError") report(error);
  }
}

async function signIn(options, session, how) {
  const credential = await navigator.credentials.get({ publicKey: requestOptions(options), ...how });
  let answer;
  try {
    answer = (await call("/u/passkey/login/verify", toJSON(credential), session)).body;
    await tell(answer);
  } catch (error) {
    await forget(error);
    throw error;
  }
  // After a phone, this device may have a passkey of its own.
  if (answer.offers_passkey && (await makesPasskeys())) return location.replace("/u/upgrade?state=" + encodeURIComponent(transaction));
  goOn();
}

/** Whether this device itself makes passkeys. */
async function makesPasskeys() {
  return PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable().catch(() => false);
}

/** Tells the form what the browser can do after a password, so that the way there is taken only then. */
async function announceUpgrade() {
  const form = document.getElementById("form");
  if (!form) return;
  for (const [name, can] of [["upgrade", await canUpgrade()], ["ask", await makesPasskeys()]]) {
    if (!can) continue;
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = name;
    field.value = "1";
    form.append(field);
  }
}

// A new account

async function startSignUp() {
  await announceUpgrade();
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", () => run(async () => {
    const fields = [...document.querySelectorAll("[data-identifier]")];
    if (!fields.every((field) => field.reportValidity())) return;
    const profile = {};
    for (const field of fields) if (field.value.trim()) profile[field.name] = field.value.trim();
    let begun;
    try {
      begun = await call("/u/passkey/register/options", { user_profile: profile });
    } catch (error) {
      if (error.reason !== "user_exists") throw error;
      // Whoever has an account signs in to it.
      location.assign("/u/login?state=" + encodeURIComponent(transaction));
      return;
    }
    const { body, session } = begun;
    const credential = await navigator.credentials.create({ publicKey: creationOptions(body) });
    try {
      const { body: done } = await call("/u/passkey/register/verify", toJSON(credential), session);
      await tell(done);
    } catch (error) {
      await forget(error);
      throw error;
    }
    goOn();
  }));
}

// After a password

async function upgrade() {
  const question = document.getElementById("question");
  const isForDevice = question?.dataset.kind === "device";
  if (!isForDevice && (await makeSilently())) return goOn();
  if (!question || !(await makesPasskeys())) return goOn();
  document.getElementById("silent").hidden = true;
  question.hidden = false;
  button.addEventListener("click", () => run(async () => {
    await makePasskey("platform", "client-device");
    goOn();
  }));
}

/** Whether a passkey came of it. The sign-in is done: that none did is nobody's concern. */
async function makeSilently() {
  try {
    if (!(await canUpgrade())) return false;
    const { body, session } = await call("/u/passkey/register/options", { mediation: "conditional" });
    const credential = await navigator.credentials.create({ publicKey: creationOptions(body), ...conditionalCreate() });
    await call("/u/passkey/register/verify", toJSON(credential), session);
    return true;
  } catch (error) {
    await forget(error);
    return false;
  }
}

// By a link or a code

function startRecovery(path) {
  const ask = document.getElementById("ask");
  const { ticket, code, recoveryCode } = ask.dataset;
  const proof = ticket ? { ticket } : code ? { code } : { recovery_code: recoveryCode };
  button.hidden = false;
  button.addEventListener("click", () => run(async () => {
    const { body, session } = await call(`${path}/options`, proof);
    const credential = await navigator.credentials.create({ publicKey: creationOptions(body) });
    let done;
    try {
      done = await call(`${path}/verify`, { ...proof, response: toJSON(credential) }, session);
    } catch (error) {
      await forget(error);
      throw error;
    }
    // Older passkeys are looked through; where there are none, the sign-in goes on that led here.
    const state = transaction ? "&state=" + encodeURIComponent(transaction) : "";
    if (done.body.review) return location.replace("/u/review-passkeys?ticket=" + done.body.review + state);
    if (transaction) return goOn();
    ask.hidden = true;
    document.getElementById("error").hidden = true;
    document.getElementById("done").hidden = false;
  }));
}

// The account

/** What needs no passkeys: times as the place has them, and what the passkey manager may be told. */
function showAccount() {
  const locale = document.documentElement.lang;
  for (const time of document.querySelectorAll("time")) {
    time.textContent = new Date(time.dateTime).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });
  }
}

async function startAccount() {
  const account = document.getElementById("account");
  if (account.dataset.signals) await tell(JSON.parse(account.dataset.signals));
  const phone = document.getElementById("phone");
  if (!button || !phone) return;
  button.hidden = phone.hidden = false;
  button.addEventListener("click", () => run(() => addPasskey("platform", "client-device"), button));
  phone.addEventListener("click", () => run(() => addPasskey("cross-platform", "hybrid"), phone));
}

async function addPasskey(attachment, hint) {
  try {
    await makePasskey(attachment, hint);
  } catch (error) {
    if (error.status !== 401) throw error;
    // Signed in too long ago, or no more: to the sign-in and back.
    location.assign("/u/passkeys/proof");
    return;
  }
  location.assign("/u/passkeys?done=added");
}

// What they share

/**
 * A passkey for who is signed in. Where the connection's policy does not say which kind, the button does: for a phone the
 * browser shows its QR code at once.
 */
async function makePasskey(attachment, hint) {
  const { body: options, session } = await call("/u/passkey/register/options", {});
  options.authenticatorSelection = { authenticatorAttachment: attachment, ...options.authenticatorSelection };
  options.hints = [hint];
  const credential = await navigator.credentials.create({ publicKey: creationOptions(options) });
  try {
    const { body } = await call("/u/passkey/register/verify", toJSON(credential), session);
    await tell(body);
  } catch (error) {
    await forget(error);
    throw error;
  }
}

function goOn() {
  location.replace("/authorize/resume?state=" + encodeURIComponent(transaction));
}

async function run(action, pressed = button) {
  if (pressed.disabled) return;
  pressed.disabled = true;
  try {
    await action();
  } catch (error) {
    report(error);
  } finally {
    pressed.disabled = false;
  }
}

function report(error) {
  const reasons = [...document.querySelectorAll("#reasons li")];
  const say = (reason) => reasons.find((item) => item.dataset.reason === reason)?.textContent;
  const reason = error.reason ?? error.name;
  const box = document.getElementById("error");
  box.textContent = say(reason) ?? say("other");
  box.hidden = false;
}

function call(path, body, session) {
  const request = { method: "POST", headers: { "X-CSRF-Token": page.dataset.csrf }, credentials: "same-origin" };
  return ask(transaction ? `${path}?state=${encodeURIComponent(transaction)}` : path, request, body, session);
}
