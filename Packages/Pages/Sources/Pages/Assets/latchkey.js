// latchkey.js: passkeys for web pages, against the browser API of the server that this module comes from. No dependency,
// no state but what it is given; it runs under a policy of `script-src` with this origin and nothing else.
//
//     import { Latchkey } from "<server>/latchkey.js";
//     const passkeys = new Latchkey({ clientID: "…" });
//     await passkeys.register("ana@example.com");

/**
 * @typedef {Object} Settings
 * @property {string} [clientID] The client; without it the tenant's `default_browser_client`.
 * @property {string} [realm] The user directory; without it the tenant's default.
 * @property {string} [base] The server's origin; without it the one that this module was loaded from.
 * @property {() => (string | null | undefined)} [token] Gives the access token where the page keeps one. Without it the
 *   session is a cookie, which the page's origin must be a web origin for.
 *
 * @typedef {Object} Verified What a sign-in gives (`/register/verify`, `/login/verify`).
 * @property {true} verified
 * @property {string} token An access token.
 * @property {number} expires_in Seconds.
 * @property {string} [refresh_token]
 * @property {{id: string, username: string, displayName: string}} user
 * @property {{id: string, deviceType: string, backedUp: boolean, transports: string[], aaguid: string}} credential
 * @property {Signals} [signals] Told to the browser already.
 *
 * @typedef {Object} Signals Ready arguments of the browser's signal methods; lists where there are several RP IDs.
 * @property {Object} [unknown_credential]
 * @property {Object | Object[]} [all_accepted_credentials]
 * @property {Object | Object[]} [current_user_details]
 *
 * @typedef {Object} Offer `passkey_upgrade` of a token answer.
 * @property {boolean} eligible
 * @property {string} [auth_session]
 * @property {Object} [authn_params_public_key]
 */

/** A refusal by the server. */
export class LatchkeyError extends Error {
  /**
   * @param {number} status Of HTTP.
   * @param {Record<string, any>} body The answer.
   */
  constructor(status, body) {
    super(body.error_description ?? `status ${status}`);
    this.name = "LatchkeyError";
    this.status = status;
    /** A stable word for programs, as `user_exists`. @type {string} */
    this.reason = body.reason ?? "other";
    /** @type {Signals | undefined} */
    this.signals = body.signals;
    /** By which the operator finds the ceremony. @type {string | undefined} */
    this.traceID = body.trace_id;
  }
}

/** Sign-up, sign-in and what belongs to them, for one client of a tenant. */
export class Latchkey {
  /** @param {Settings} [settings] */
  constructor(settings = {}) {
    this.settings = settings;
    this.base = settings.base ?? new URL(import.meta.url).origin;
    /** @type {AbortController | null} */
    this.waiting = null;
  }

  /**
   * Makes an account with a passkey; for who is signed in, adds a passkey to theirs.
   *
   * @param {string} [username] An e-mail address, a phone number or a user name; not needed when signed in.
   * @param {{displayName?: string, signal?: AbortSignal}} [more]
   * @returns {Promise<Verified>}
   * @throws {LatchkeyError | DOMException}
   */
  async register(username, more = {}) {
    this.stopAutofill();
    const begun = await this.call("POST", "/register/options", this.named({ username, displayName: more.displayName }));
    return this.finishRegistration(begun.body, begun.session, { signal: more.signal });
  }

  /**
   * Signs in with a passkey.
   *
   * @param {{username?: string, signal?: AbortSignal, scope?: string}} [more] Without a name the browser offers every
   *   passkey that it has for the site. `scope` with `offline_access` asks for a refresh token.
   * @returns {Promise<Verified>}
   * @throws {LatchkeyError | DOMException}
   */
  async login(more = {}) {
    this.stopAutofill();
    const begun = await this.call("POST", "/login/options", this.named({ username: more.username }));
    return this.finishLogin(begun, { signal: more.signal }, more.scope);
  }

  /**
   * Lets the browser offer passkeys in a field with `autocomplete="username webauthn"`, for as long as the page is open.
   *
   * @param {{scope?: string}} [more]
   * @returns {Promise<Verified | null>} `null` when the browser cannot, or another ceremony began instead.
   * @throws {LatchkeyError | DOMException}
   */
  async autofill(more = {}) {
    this.stopAutofill();
    if (!(await globalThis.PublicKeyCredential?.isConditionalMediationAvailable?.())) return null;
    const controller = new AbortController();
    this.waiting = controller;
    try {
      const begun = await this.call("POST", "/login/options", this.named({ mediation: "conditional" }));
      if (controller.signal.aborted) return null;
      return await this.finishLogin(begun, { mediation: "conditional", signal: controller.signal }, more.scope);
    } catch (error) {
      if (controller.signal.aborted || error.name === "AbortError" || error.name === "NotAllowedError") return null;
      throw error;
    } finally {
      if (this.waiting === controller) this.waiting = null;
    }
  }

  /** Ends a wait of `autofill`, as each other ceremony does by itself: a browser runs one at a time. */
  stopAutofill() {
    this.waiting?.abort();
    this.waiting = null;
  }

  /**
   * Makes a passkey without asking, after a sign-in with a password. Nothing is shown, and nothing goes wrong: a browser
   * or a passkey manager that will not do it gives `null`.
   *
   * @param {Offer} [offer] `passkey_upgrade` of the token answer; without it one is asked for.
   * @returns {Promise<Verified | null>}
   */
  async upgrade(offer) {
    if (offer && !offer.eligible) return null;
    if (!(await canUpgrade())) return null;
    try {
      const begun = offer?.authn_params_public_key
        ? { body: offer.authn_params_public_key, session: offer.auth_session }
        : await this.call("POST", "/register/options", this.named({ mediation: "conditional" }));
      return await this.finishRegistration(begun.body, begun.session, conditionalCreate());
    } catch {
      return null;
    }
  }

  /** Who is signed in, with their passkeys; `null` for nobody. */
  async me() {
    try {
      const { body } = await this.call("GET", "/api/me");
      await tell(body);
      return body;
    } catch (error) {
      if (error.status === 401) return null;
      throw error;
    }
  }

  /** Ends the session and its refresh tokens. */
  async logout() {
    await this.call("POST", "/api/logout");
  }

  /** @private */
  async finishRegistration(options, session, how) {
    const credential = await navigator.credentials.create({ publicKey: creationOptions(options), ...how });
    return this.verify("/register/verify", this.named(toJSON(credential)), session);
  }

  /** @private */
  async finishLogin({ body, session }, how, scope) {
    const credential = await navigator.credentials.get({ publicKey: requestOptions(body), ...how });
    return this.verify("/login/verify", this.named({ ...toJSON(credential), scope }), session);
  }

  /** @private */
  async verify(path, answer, session) {
    try {
      const { body } = await this.call("POST", path, answer, session);
      await tell(body);
      return body;
    } catch (error) {
      await forget(error);
      throw error;
    }
  }

  /** @private */
  named(body) {
    return { ...body, client_id: this.settings.clientID, realm: this.settings.realm };
  }

  /** @private */
  call(method, path, body, session) {
    const token = this.settings.token?.();
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const keepsToken = Boolean(this.settings.token);
    return ask(this.base + path, { method, headers, credentials: keepsToken ? "omit" : "include" }, body, session);
  }
}

/**
 * Sends a request of the browser API.
 *
 * @param {string} address
 * @param {RequestInit & {headers?: Record<string, string>}} request
 * @param {Object} [body] Sent as JSON; members without a value are left out.
 * @param {string | null} [session] `X-Auth-Session` of the options.
 * @returns {Promise<{body: any, session: string | null}>}
 * @throws {LatchkeyError}
 */
export async function ask(address, request, body, session) {
  const headers = { Accept: "application/json", ...request.headers };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (session) headers["X-Auth-Session"] = session;
  const answer = await fetch(address, { ...request, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const isJSON = answer.headers.get("Content-Type")?.startsWith("application/json");
  const content = isJSON ? await answer.json() : {};
  if (!answer.ok) throw new LatchkeyError(answer.status, content);
  return { body: content, session: answer.headers.get("X-Auth-Session") };
}

/** Whether this browser makes passkeys without asking (`mediation: "conditional"` of `create`). @returns {Promise<boolean>} */
export async function canUpgrade() {
  const able = await globalThis.PublicKeyCredential?.getClientCapabilities?.().catch(() => null);
  return able?.conditionalCreate === true;
}

/** What such a `create` is called with: a manager that does not answer keeps nobody waiting. */
export function conditionalCreate() {
  return { mediation: /** @type {const} */ ("conditional"), signal: AbortSignal.timeout(5000) };
}

/** Has the passkey manager drop a key that the server has not: after a refusal that says so. @param {LatchkeyError} error */
export async function forget(error) {
  const signal = error.signals?.unknown_credential;
  if (signal) await globalThis.PublicKeyCredential?.signalUnknownCredential?.(signal)?.catch(() => {});
}

/** Has the passkey manager offer what is good, under the name that is the user's now. @param {{signals?: Signals}} answer */
export async function tell(answer) {
  const signals = answer.signals ?? {};
  const each = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]);
  try {
    for (const list of each(signals.all_accepted_credentials)) {
      await PublicKeyCredential.signalAllAcceptedCredentials?.(list);
    }
    for (const user of each(signals.current_user_details)) await PublicKeyCredential.signalCurrentUserDetails?.(user);
  } catch {
    // A manager that does not listen is no reason not to go on.
  }
}

/** `PublicKeyCredentialCreationOptionsJSON` as `navigator.credentials.create` takes it. @param {any} json */
export function creationOptions(json) {
  if (PublicKeyCredential.parseCreationOptionsFromJSON) return PublicKeyCredential.parseCreationOptionsFromJSON(json);
  return {
    ...json, challenge: bytes(json.challenge), user: { ...json.user, id: bytes(json.user.id) },
    excludeCredentials: (json.excludeCredentials ?? []).map((key) => ({ ...key, id: bytes(key.id) })),
  };
}

/** `PublicKeyCredentialRequestOptionsJSON` as `navigator.credentials.get` takes it. @param {any} json */
export function requestOptions(json) {
  if (PublicKeyCredential.parseRequestOptionsFromJSON) return PublicKeyCredential.parseRequestOptionsFromJSON(json);
  return {
    ...json, challenge: bytes(json.challenge),
    allowCredentials: (json.allowCredentials ?? []).map((key) => ({ ...key, id: bytes(key.id) })),
  };
}

/** A credential as the server takes it, in browsers too that cannot write it themselves. @param {any} credential */
export function toJSON(credential) {
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
