/** Limits of requests that send mail, or need no credential but a link in one. */
import { RequestLimit } from './request-counts.ts'

/** Test mails of a member in an hour. */
export const TEST_MAILS = 5
/** Requests with a link to unsubscribe from one address in a minute: a mail provider has one for many members. */
const LINK_REQUESTS = 300

/** The limit of test mails, by member. */
export const createTestMailLimit = () => new RequestLimit(TEST_MAILS, 3600)

/** The limit of requests with a link, by client. */
export const createLinkLimit = () => new RequestLimit(LINK_REQUESTS, 60)
