// The hosted pages: passkeys in the field and by a button, a new account with a passkey, and the passkey that is made
// without asking after a password. Without this script the pages work by password alone.

const page = document.getElementById("page");
const transaction = page.dataset.state;
const button = document.getElementById("passkey");
let autofill = null;

start();

async function start() {
  if (!window.PublicKeyCredential) {
    if (page.dataset.page === "upgrade") goOn();
    return;
  }
  switch (page.dataset.page) {
    case "login": return startLogin();
    case "signup": return startSignUp();
    case "upgrade": return upgrade();
    case "enroll-passkey": return startEnrollment();
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
  try {
    const { body } = await call("/u/passkey/login/verify", toJSON(credential), session);
    await tell(body);
  } catch (error) {
    await forget(error);
    throw error;
  }
  goOn();
}

/** Tells the form whether the browser can make a passkey without asking, so that the way there is taken only then. */
async function announceUpgrade() {
  const able = await PublicKeyCredential.getClientCapabilities?.().catch(() => null);
  const form = document.getElementById("form");
  if (!able?.conditionalCreate || !form) return;
  const field = document.createElement("input");
  field.type = "hidden";
  field.name = "upgrade";
  field.value = "1";
  form.append(field);
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
  try {
    const able = await PublicKeyCredential.getClientCapabilities?.();
    if (able?.conditionalCreate) {
      const { body, session } = await call("/u/passkey/register/options", { mediation: "conditional" });
      const credential = await navigator.credentials.create({
        // A manager that has nothing to say answers at once; one that does not answer keeps nobody waiting.
        publicKey: creationOptions(body), mediation: "conditional", signal: AbortSignal.timeout(5000),
      });
      await call("/u/passkey/register/verify", toJSON(credential), session).catch(forget);
    }
  } catch {
    // The sign-in is done: that no passkey came of it is nobody's concern.
  }
  goOn();
}

// By a link

function startEnrollment() {
  const ticket = document.getElementById("ask").dataset.ticket;
  button.hidden = false;
  button.addEventListener("click", () => run(async () => {
    const { body, session } = await call("/u/enroll-passkey/options", { ticket });
    const credential = await navigator.credentials.create({ publicKey: creationOptions(body) });
    try {
      await call("/u/enroll-passkey/verify", { ticket, response: toJSON(credential) }, session);
    } catch (error) {
      await forget(error);
      throw error;
    }
    document.getElementById("ask").hidden = true;
    document.getElementById("error").hidden = true;
    document.getElementById("done").hidden = false;
  }));
}

// What they share

function goOn() {
  location.replace("/authorize/resume?state=" + encodeURIComponent(transaction));
}

async function run(action) {
  if (button.disabled) return;
  button.disabled = true;
  try {
    await action();
  } catch (error) {
    report(error);
  } finally {
    button.disabled = false;
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

/** Has the passkey manager drop a key that this server has not. */
async function forget(error) {
  const signal = error.signals?.unknown_credential;
  if (signal) await PublicKeyCredential.signalUnknownCredential?.(signal).catch(() => {});
}

/** Has the passkey manager offer what is good, under the name that is the user's now. */
async function tell(answer) {
  const signals = answer.signals ?? {};
  const each = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]);
  try {
    for (const list of each(signals.all_accepted_credentials)) await PublicKeyCredential.signalAllAcceptedCredentials?.(list);
    for (const user of each(signals.current_user_details)) await PublicKeyCredential.signalCurrentUserDetails?.(user);
  } catch {
    // A manager that does not listen is no reason not to go on.
  }
}

async function call(path, body, session) {
  const headers = { "Content-Type": "application/json", "X-CSRF-Token": page.dataset.csrf };
  if (session) headers["X-Auth-Session"] = session;
  const answer = await fetch(transaction ? `${path}?state=${encodeURIComponent(transaction)}` : path, {
    method: "POST", headers, body: JSON.stringify(body), credentials: "same-origin",
  });
  const content = answer.headers.get("Content-Type")?.startsWith("application/json") ? await answer.json() : {};
  if (!answer.ok) {
    const error = new Error(content.error_description ?? String(answer.status));
    error.reason = content.reason ?? "other";
    error.signals = content.signals;
    throw error;
  }
  return { body: content, session: answer.headers.get("X-Auth-Session") };
}

function creationOptions(json) {
  if (PublicKeyCredential.parseCreationOptionsFromJSON) return PublicKeyCredential.parseCreationOptionsFromJSON(json);
  return {
    ...json, challenge: bytes(json.challenge), user: { ...json.user, id: bytes(json.user.id) },
    excludeCredentials: (json.excludeCredentials ?? []).map((key) => ({ ...key, id: bytes(key.id) })),
  };
}

function requestOptions(json) {
  if (PublicKeyCredential.parseRequestOptionsFromJSON) return PublicKeyCredential.parseRequestOptionsFromJSON(json);
  return {
    ...json, challenge: bytes(json.challenge),
    allowCredentials: (json.allowCredentials ?? []).map((key) => ({ ...key, id: bytes(key.id) })),
  };
}

function toJSON(credential) {
  if (credential.toJSON) return credential.toJSON();
  const { response } = credential;
  const inner = { clientDataJSON: text(response.clientDataJSON) };
  if (response.attestationObject) {
    inner.attestationObject = text(response.attestationObject);
    inner.transports = response.getTransports?.() ?? [];
  } else {
    inner.authenticatorData = text(response.authenticatorData);
    inner.signature = text(response.signature);
    if (response.userHandle) inner.userHandle = text(response.userHandle);
  }
  return {
    id: credential.id, rawId: text(credential.rawId), type: credential.type, response: inner,
    authenticatorAttachment: credential.authenticatorAttachment, clientExtensionResults: credential.getClientExtensionResults(),
  };
}

function bytes(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
}

function text(buffer) {
  const characters = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
