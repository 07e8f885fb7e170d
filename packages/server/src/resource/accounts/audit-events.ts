/**
 * The names of all events that the audit records. The list is closed, so a reader of the audit
 * knows every event. `record/` writes most events when a marked record is written; the code in
 * which an event happens writes the others.
 */
export const auditEventNames = [
  'log-in',
  'log-in-failed',
  'log-out',
  'refresh-reused',
  'session-ended',
  'sessions-ended',
  'user-created',
  'first-admin-created',
  'user-deleted',
  'password-changed',
  'email-changed',
  'role-changed',
  'status-changed',
  'key-created',
  'key-changed',
  'key-rotated',
  'key-deleted',
  'factor-added',
  'factor-changed',
  'factor-removed',
  'factor-failed',
  'recovery-codes-made',
  'recovery-code-used',
  'link-added',
  'link-removed',
  'reset-requested',
  'password-reset',
  'verification-requested',
  'email-verified',
  'log-in-link-requested',
  'secrets-rotated',
  'viewed-as',
  'backup-asked',
  'effect-retried',
  'effect-given-up',
  'erased',
] as const

/** Besides these, in an application whose tenancy has an operator. */
export const tenantEventNames = ['operator-wrote', 'operator-read'] as const

/** Besides these, in an application with webhooks. */
export const webhookEventNames = [
  'webhook-added',
  'webhook-changed',
  'webhook-rotated',
  'webhook-removed',
  'webhook-switched-off',
] as const

/** Besides these, in an application whose code may refuse log-ins. */
export const refusedLogInEvent = 'log-in-refused'

export type AuditEvent =
  | (typeof auditEventNames)[number]
  | (typeof tenantEventNames)[number]
  | (typeof webhookEventNames)[number]
  | typeof refusedLogInEvent
