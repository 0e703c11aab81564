// The demo page of `latchkey-server dev`: a passkey made and used with the browser API of the server, and nothing else.

import { creationOptions, requestOptions, toJSON } from "/latchkey.js";

const $ = (id) => document.getElementById(id);
const state = { providers: {}, usedPasskey: null, autofill: null, busy: false };

start();

async function start() {
  const reason = await whyNot();
  if (reason) {
    $("unsupported-reason").textContent = reason;
    show("unsupported");
    return;
  }
  $("account").addEventListener("submit", (event) => { event.preventDefault(); run(createAccount); });
  $("sign-in").addEventListener("click", () => run(signIn));
  $("sign-out").addEventListener("click", () => run(signOut));
  $("add").addEventListener("click", () => run(addPasskey));
  fetch("/demo/providers.json").then((answer) => answer.json()).then((list) => { state.providers = list.providers; })
    .catch(() => {}).finally(refresh);
}

/** Why passkeys cannot be made here, in plain words; null when they can. */
async function whyNot() {
  if (!window.isSecureContext) return "Browsers allow passkeys on https:// pages and on localhost only. Open this page as http://localhost.";
  if (!window.PublicKeyCredential) return "It has no support for passkeys (Web Authentication).";
  return null;
}

// What a person does

async function createAccount() {
  const username = $("username").value.trim();
  stopAutofill();
  const options = await call("POST", "/register/options", { username });
  const credential = await navigator.credentials.create({ publicKey: creationOptions(options.body) });
  const verified = await call("POST", "/register/verify", toJSON(credential), options.session);
  state.usedPasskey = verified.body.credential?.id ?? null;
  $("account").reset();
  await refresh();
  say(`Your account is made, and you are signed in. The passkey works from now on.`);
}

async function signIn() {
  stopAutofill();
  const username = $("username").value.trim();
  const options = await call("POST", "/login/options", username ? { username } : {});
  await finishSignIn(options, {});
}

async function addPasskey() {
  const options = await call("POST", "/register/options", {});
  const credential = await navigator.credentials.create({ publicKey: creationOptions(options.body) });
  await call("POST", "/register/verify", toJSON(credential), options.session);
  await refresh();
  say("The new passkey is stored. Either one signs you in.");
}

async function signOut() {
  await call("POST", "/api/logout");
  state.usedPasskey = null;
  await refresh();
  say("You are signed out. Choose your passkey in the field, or press the button.");
}

/** Lets the browser offer passkeys in the field itself, for as long as the page is open. */
async function offerAutofill() {
  stopAutofill();
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  const controller = new AbortController();
  state.autofill = controller;
  try {
    const options = await call("POST", "/login/options", { mediation: "conditional" });
    if (controller.signal.aborted) return;
    await finishSignIn(options, { mediation: "conditional", signal: controller.signal });
  } catch (error) {
    // Nobody asked for anything yet: that the browser has nothing to offer is no news.
    if (controller.signal.aborted || error.name === "AbortError" || error.name === "NotAllowedError") return;
    report(error);
  }
}

function stopAutofill() {
  state.autofill?.abort();
  state.autofill = null;
}

async function finishSignIn(options, how) {
  const credential = await navigator.credentials.get({ publicKey: requestOptions(options.body), ...how });
  try {
    const verified = await call("POST", "/login/verify", toJSON(credential), options.session);
    state.usedPasskey = verified.body.credential?.id ?? null;
  } catch (error) {
    if (error.reason === "unknown_credential") {
      await PublicKeyCredential.signalUnknownCredential?.({ rpId: options.body.rpId, credentialId: credential.id }).catch(() => {});
    }
    throw error;
  }
  state.autofill = null;
  await refresh();
  say("You are signed in.");
}

// What the page shows

async function refresh() {
  let me = null;
  try {
    me = (await call("GET", "/api/me")).body;
  } catch (error) {
    if (error.status !== 401) report(error);
  }
  if (!me) {
    show("signed-out");
    offerAutofill();
    return;
  }
  $("who").textContent = me.user.displayName || me.user.username;
  $("since").textContent = `Signed in as ${me.user.username} since ${time(me.session.createdAt)}.`;
  $("passkeys").replaceChildren(...me.passkeys.map(passkeyItem));
  $("session").replaceChildren(
    ...facts({ "User": me.user.id, "Session": me.session.id, "Proven by": me.session.amr.join(", "), "Ends": time(me.session.expiresAt) }));
  show("signed-in");
}

function passkeyItem(passkey) {
  const item = document.createElement("li");
  const name = document.createElement("strong");
  name.textContent = passkey.name || state.providers[passkey.aaguid] || "Passkey of an authenticator without a public name";
  if (passkey.credentialId && passkey.credentialId === state.usedPasskey) name.className = "this";
  const where = passkey.deviceType === "multiDevice"
    ? (passkey.backedUp ? "Synced: your other devices have it too" : "Can be synced; not yet backed up")
    : "On this device only";
  const used = passkey.lastUsedAt ? `, last used ${time(passkey.lastUsedAt)}` : "";
  const more = document.createElement("small");
  more.textContent = `${where}. Made ${time(passkey.createdAt)}${used}.`;
  item.append(name, more);
  return item;
}

function facts(list) {
  return Object.entries(list).flatMap(([name, value]) => {
    const term = document.createElement("dt");
    const text = document.createElement("dd");
    term.textContent = name;
    text.textContent = value;
    return [term, text];
  });
}

function show(name) {
  for (const section of ["unsupported", "signed-out", "signed-in"]) $(section).hidden = section !== name;
}

function say(text, isProblem = false) {
  const message = $("message");
  message.textContent = text;
  message.className = isProblem ? "problem" : "";
  message.hidden = !text;
}

const time = (text) => new Date(text).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

/** Runs one thing at a time, and says in plain words what went wrong. */
async function run(action) {
  if (state.busy) return;
  state.busy = true;
  say("");
  for (const button of document.querySelectorAll("button")) button.disabled = true;
  try {
    await action();
  } catch (error) {
    report(error);
    if (!$("signed-out").hidden) offerAutofill();
  } finally {
    state.busy = false;
    for (const button of document.querySelectorAll("button")) button.disabled = false;
  }
}

const sentences = {
  user_exists: "This name already has an account. Sign in with its passkey, or choose another name.",
  invalid_identifier: "This name cannot be used. Take 1 to 15 letters and digits, or an e-mail address.",
  missing_identifier: "Please enter a name or an e-mail address.",
  unknown_credential: "This passkey does not belong to an account here any more. Create an account, or choose another passkey.",
  auth_session_invalid: "That took too long, or it was done already. Please try again.",
  user_verification_missing: "Your device did not check that it is you. Set up a screen lock or a PIN, then try again.",
  credential_exists: "This passkey is already stored here.",
  counter_regression: "This passkey's counter went backwards, as a copied key's would. Use another passkey.",
  too_many_passkeys: "This account has as many passkeys as it may have. Remove one first.",
  insufficient_user_authentication: "Please sign out and in again first: adding a passkey needs a fresh sign-in.",
  rate_limited: "That was too often. Please wait a minute and try again.",
  user_blocked: "This account is blocked.",
};

function report(error) {
  say(plain(error), true);
}

function plain(error) {
  if (error.reason && sentences[error.reason]) return sentences[error.reason];
  if (error.status >= 500) return "The server has trouble at the moment. Please try again in a few seconds.";
  if (error.status) return `The server refused: ${error.message}. The panel below shows the whole answer.`;
  switch (error.name) {
    case "NotAllowedError": return "It was cancelled, or took too long. Please try again.";
    case "InvalidStateError": return "This device already has a passkey for this account. Sign in with it.";
    case "NotSupportedError": return "This device cannot make a passkey of the kind asked for.";
    case "SecurityError": return "The browser refused this address. Open the page as http://localhost.";
    case "ConstraintError": return "This device has no screen lock or PIN. Set one up, then try again.";
    case "TypeError": return "The server does not answer. Is it still running?";
    default: return `The browser says: ${error.message || error}`;
  }
}

// The wire

async function call(method, path, body, session) {
  const headers = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (session) headers["x-auth-session"] = session;
  const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const text = await answer.text();
  let value = null;
  try { value = text ? JSON.parse(text) : null; } catch { value = text; }
  const ceremony = answer.headers.get("x-ceremony-id") || value?.trace_id || null;
  note(method, path, body, answer.status, value, ceremony);
  if (!answer.ok) {
    throw Object.assign(new Error(value?.error_description || answer.statusText || `status ${answer.status}`),
      { status: answer.status, reason: value?.reason });
  }
  return { body: value, session: answer.headers.get("x-auth-session") };
}

let calls = 0;
function note(method, path, request, status, answer, ceremony) {
  calls += 1;
  $("count").textContent = `(${calls} ${calls === 1 ? "request" : "requests"})`;
  $("happened-empty").hidden = true;
  const item = document.createElement("li");
  const line = document.createElement("div");
  const verdict = document.createElement("span");
  verdict.className = status < 400 ? "status" : "status bad";
  verdict.textContent = status;
  line.append(`${method} ${path} → `, verdict);
  item.append(line);
  if (request !== undefined) item.append(block("sent", request));
  if (answer !== null) item.append(block("answered", answer));
  if (ceremony) {
    const explain = document.createElement("div");
    explain.append("Ceremony ", code(ceremony));
    // There is a record to explain once it has ended.
    if (path.endsWith("/verify")) explain.append(". In the server's words: ", code(`latchkey-admin ceremony explain ${ceremony}`));
    item.append(explain);
  }
  $("log").append(item);
}

function code(text) {
  const element = document.createElement("code");
  element.textContent = text;
  return element;
}

function block(title, value) {
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  const pre = document.createElement("pre");
  summary.textContent = title;
  pre.textContent = JSON.stringify(shorten(value), null, 2);
  details.append(summary, pre);
  return details;
}

/** Tokens are shown by their beginning only: a page is easily copied into a chat. */
function shorten(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(shorten);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [
    name, name.endsWith("token") && typeof inner === "string" ? inner.slice(0, 12) + "…" : shorten(inner)]));
}
