/**
 * The codes of errors: stable words by which programs distinguish errors, independent of the text. `docs/errors.md` has a section
 * for each.
 */
import type { ErrorCode } from './phaseboard.d.ts'

export type { ErrorCode } from './phaseboard.d.ts'

/** What each code means. */
export const ERROR_CODES: Readonly<Record<ErrorCode, string>> = {
  admin_required: 'only an admin may do this',
  already_assigned: 'the member is already assigned to the project',
  already_done: 'a request with this Idempotency-Key has already succeeded, and its response is not stored',
  already_promoted: 'the idea is already a project',
  authentication_required: 'the request has no valid credential',
  bad_request: 'the request is malformed',
  behind_proxy: 'in open mode: the request came through a proxy and carries no credential',
  changed_since: 'records have changed since the write to undo: `details.conflicts`',
  changes_gone: 'the changes are no longer stored: `details.oldest`',
  claimed: 'another member has claimed the item',
  column_has_items: 'the column still has items',
  conflict: 'the current state does not allow the request',
  cross_origin: 'a page of another origin sent the request, with the credentials of the browser',
  database_busy: 'the write waited too long for other writes: nothing was written',
  email_not_verified: 'the sign-in provider does not say that the email of the account is verified',
  email_taken: 'another member has the email',
  forbidden: 'the caller may not do this',
  foreign_host:
    'in open mode on a loopback address: the host name is neither local nor that of PUBLIC_URL or CORS_ORIGIN',
  handle_taken: 'another member has the handle',
  headers_too_large: 'the headers are too large',
  idempotency_key_reused: 'the Idempotency-Key was used for another request',
  internal_error: 'the service failed: nothing was written',
  invalid_credentials: 'the email or the password is wrong',
  invalid_link: 'the one-time link was used, has expired or was revoked',
  is_member: 'the person is a member',
  key_taken: 'another project has the key',
  last_admin: 'the service would have no admin left',
  limit_reached: 'there are already as many as the limit allows',
  member_disabled: 'the member is disabled',
  method_not_allowed: 'the path does not support the method',
  name_taken: 'another record has the name',
  no_account: 'no member has this account of the sign-in provider',
  no_column: 'the board has no column',
  no_new_projects: 'the caller would not see the project that it creates',
  no_space: 'there is no space left for attachments',
  not_claimed: 'the item is not claimed',
  not_found: 'the record or path does not exist, or the caller may not see it: perhaps `details.missing`',
  not_json: 'the body is not JSON',
  not_owner: 'the record belongs to another member',
  precondition_failed: '`If-Match` or `If-None-Match` did not hold: nothing was written',
  provider_unavailable: 'the sign-in provider does not respond',
  rate_limited: 'the client has sent too many requests in a minute',
  read_only_project: 'the caller may only read the project',
  read_only_role: "the member's role is read-only",
  read_only_token: 'the token is read-only',
  request_failed: 'any other error',
  session_required: 'the request needs a session, not a token',
  sharing_refused: 'the caller may not share the project, or its share links are off',
  sign_in_failed: 'the sign-in with the provider failed',
  sign_in_refused: 'the provider refused the sign-in',
  too_large: 'the request or its response is too large',
  too_many_at_once: 'the caller has too many requests in progress',
  too_many_sign_ins: 'too many sign-ins have failed',
  too_many_streams: 'too many streams are open',
  took_too_long: 'the request took too long',
  unavailable: 'the service cannot handle the request at the moment: nothing was written',
  validation_failed: 'fields or parameters are invalid: `details`',
  wip_limit_reached: 'the column is at its WIP limit',
  would_lose_project: 'the caller would no longer see the project',
}

const OF_STATUS: Record<number, ErrorCode> = {
  400: 'bad_request',
  401: 'authentication_required',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  410: 'changes_gone',
  412: 'precondition_failed',
  413: 'too_large',
  422: 'idempotency_key_reused',
  429: 'rate_limited',
  431: 'headers_too_large',
  500: 'internal_error',
  503: 'unavailable',
  507: 'no_space',
}

/** The default code of an error without one, e.g. a host's. */
export const codeOfStatus = (status: number): ErrorCode => OF_STATUS[status] ?? 'request_failed'
