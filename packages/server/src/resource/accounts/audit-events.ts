/**
 * The events that an audit records, by name: a closed list, so that whoever reads the audit knows
 * all that it can say. `record/` writes most of them whenever a marked record is written; the
 * others are told by whatever they happen in.
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
] as const

export type AuditEvent = (typeof auditEventNames)[number]
