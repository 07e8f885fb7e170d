/** What `bindery` serves: a resource that is not named here does not exist. */
import { accounts, defineResources } from 'bindery-server'
import { apiKeys } from './resources/api-keys.ts'
import { auditEvents } from './resources/audit-events.ts'
import { factors } from './resources/factors.ts'
import { linkedAccounts } from './resources/linked-accounts.ts'
import { oneTimeTokens } from './resources/one-time-tokens.ts'
import { outgoingMails } from './resources/outgoing-mails.ts'
import { projects } from './resources/projects.ts'
import { recoveryCodes } from './resources/recovery-codes.ts'
import { refreshTokens } from './resources/refresh-tokens.ts'
import { sessions } from './resources/sessions.ts'
import { tasks } from './resources/tasks.ts'
import { users } from './resources/users.ts'

export const resources = defineResources([
  projects,
  tasks,
  apiKeys,
  ...accounts({ roles: ['USER', 'EDITOR', 'ADMIN'], users }),
  sessions,
  refreshTokens,
  factors,
  recoveryCodes,
  auditEvents,
  linkedAccounts,
  oneTimeTokens,
  outgoingMails,
])
