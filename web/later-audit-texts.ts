/** English texts of the actions in the audit log, which the first load does not contain, and no other page needs. */
import { type AuditTexts, texts } from './texts.ts'

const english = {
  auditActions: {
    'sign-in': 'Signed in',
    'sign-in-failed': 'Failed to sign in',
    'sign-out': 'Signed out',
    'member-created': 'Added a member',
    'member-role-changed': 'Changed a role',
    'member-email-changed': 'Changed an email',
    'member-disabled': 'Disabled a member',
    'member-enabled': 'Enabled a member',
    'member-deleted': 'Deleted a member',
    'password-changed': 'Changed their own password',
    'password-reset': 'Reset a password',
    'password-link-created': 'Created a password link',
    'password-link-used': 'Used a password link',
    'password-link-revoked': 'Revoked a password link',
    'invitation-created': 'Invited somebody',
    'invitation-accepted': 'Accepted an invitation',
    'invitation-revoked': 'Revoked an invitation',
    'account-linked': 'Linked an account of the organisation',
    'session-revoked': 'Ended a session',
    'token-created': 'Created a token',
    'token-revoked': 'Revoked a token',
    'team-changed': 'Changed a team',
    'project-deleted': 'Deleted a project',
    'project-restored': 'Restored a project',
    'person-forgotten': 'Forgot a person',
    'share-link-created': 'Made a share link',
    'share-link-revoked': 'Ended a share link',
    'webhook-created': 'Created a webhook',
    'webhook-changed': 'Changed a webhook',
    'webhook-deleted': 'Deleted a webhook',
    'webhook-secret-rotated': 'Rotated the secret of a webhook',
    'webhook-deactivated': 'A webhook failed too often',
  },
} as const

/** For tests, which compare the languages, and for the types of the others. */
export const auditEnglish = english

/** The texts in the language of the page. */
export const { auditActions }: AuditTexts =
  'auditActions' in texts ? (texts as typeof texts & AuditTexts) : english
