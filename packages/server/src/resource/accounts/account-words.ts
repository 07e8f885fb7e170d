/** The reserved words and the paths of accounts, for the lists of all of them. */

import type { DeclarationCheck } from '../checks/declaration-check.ts'
import { type ReservedWord, reserve, type ServedPath, servePaths } from '../words/reserve.ts'
import { currentPassword } from './credentials.ts'
import { markOf } from './engine-table.ts'

export const accountWords: readonly ReservedWord[] = [
  ...reserve([currentPassword], { at: ['field'], use: 'the proof beside a new password', only: 'users' }),
  ...reserve(['credentials'], { at: ['scope'], use: 'the scope of API keys that may change log-ins', only: 'keys' }),
  ...reserve(
    [
      ...['session', 'refreshToken', 'apiKey', 'factor', 'recoveryCode', 'linkedAccount', 'auditEvent'],
      ...['oneTimeToken', 'outgoingMail'],
    ],
    { at: ['resource'], use: 'a table of accounts', only: 'tables' },
  ),
]

/** Whether the word is reserved in this application. `table-twin.ts` has those of tables. */
export function isHeld({ only }: ReservedWord, { declared, byName }: DeclarationCheck): boolean {
  if (only === 'users') return declared.identity?.kind === 'login'
  if (only === 'keys') return [...byName.values()].some((one) => markOf(one)?.kind === 'api-key')
  return only === undefined
}

/** An id never has the form of their second segment. */
export const accountPaths: readonly ServedPath[] = [
  ...servePaths('root', [], {
    '/account/files/:file': 'files of the pages that mails open',
    '/account/invite': 'the page of an invitation',
    '/account/log-in': 'the page of a log-in by mail',
    '/account/own-address': 'the page of a proof of an address',
    '/account/reset': 'the page of a new password',
    '/account/verify': 'the page of a new address',
  }),
  ...servePaths('both', [], {
    '/auth/login': 'log-in',
    '/auth/refresh': 'new access tokens',
    '/auth/logout': 'log-out',
    '/auth/factor': 'second factors at a log-in',
    '/auth/passkey': 'passkeys at a log-in',
    '/auth/forgot': 'forgotten passwords',
    '/auth/reset': 'new passwords',
    '/auth/verify': 'proofs of addresses',
    '/auth/login-link': 'log-ins by mail',
    '/auth/console-code': 'log-ins by the address that a start prints',
    '/auth/view-as': 'views as a user',
    '/auth/invitation': 'accepted invitations',
    '/auth/oidc': 'the providers of log-ins',
    '/auth/oidc/link': 'accounts of providers',
    '/auth/oidc/:provider': 'a log-in by a provider',
    '/auth/oidc/:provider/callback': 'the end of a log-in by a provider',
  }),
  ...servePaths('api', [], { '/auth/refresh-token': 'new access tokens' }),
]
