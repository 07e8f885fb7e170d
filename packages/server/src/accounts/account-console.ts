/** The commands of accounts for the command line. Each command loads its code when it runs. */
import type { ConsolePart } from '../command/console-part.ts'
import { eraseCommand } from './erasure/erase-commands.ts'
import { keyCommands } from './keys/key-commands.ts'
import { sessionCommands } from './sessions/session-commands.ts'
import { secretCommands } from './tokens/secret-commands.ts'
import { userCommands, userExample } from './users/user-commands.ts'

export const accountConsole: ConsolePart = {
  commands: [userCommands, keyCommands, sessionCommands, secretCommands, eraseCommand],
  example: userExample,
  says: {
    copied: 'hashes of passwords and tokens, sessions',
    notCopied: 'counters of failed log-ins, and a generated JWT secret',
    restored:
      'Sessions and keys are those of that time: what was logged out or revoked since works again, until you end it',
    secrets: 'hashes of passwords, keys and tokens',
    notExported: 'Passwords, keys and tokens are in no export of a resource.',
    exportedWithout: 'Without --with-secrets, users imported from it cannot log in.',
    exportedWith: 'Hashes of passwords, keys and tokens are in the file: keep it as you keep the database',
    exportedBare: 'Hashes of passwords, keys and tokens are not in the file; --with-secrets exports them too',
    importedWithout: 'Users who\ncome without a password have none until it is set.',
    afterImport: 'Users without a password cannot log in until it is set: bindery user set <email> --password-stdin',
    afterBareImport:
      'The file holds no secrets: set passwords by bindery user set <name> --password-stdin, and make new API keys; all log-ins have ended',
    operatorKey: 'the API key of an operator',
    leftWork: 'mails',
    leftKind: 'mail',
  },
  figures: ({ logInFailures, mailsWaiting }) => ({
    refused: [['log-in failures', logInFailures]],
    waiting: mailsWaiting ? [['mails that wait', mailsWaiting]] : [],
  }),
  async leftKinds({ outgoingMail }) {
    const { mailKind } = await import('./recovery/owner-mails.ts')
    return outgoingMail ? [mailKind] : []
  },
  async noteActs({ records, catalog }, acts) {
    const [{ recordAudit }, { authorOf }, { consolePrincipal }] = await Promise.all([
      import('./audit/audit.ts'),
      import('../record/author.ts'),
      import('../resource/principal.ts'),
    ])
    const entries = acts.map((act) => ({ ...act, userId: null }))
    await records.transaction(authorOf(consolePrincipal(catalog)), (tx) => recordAudit(tx, ...entries))
  },
  async inspectSigning(found, catalog) {
    const { inspectSecrets } = await import('./tokens/doctor-secrets.ts')
    return inspectSecrets(found, catalog)
  },
  async checkCatalog(catalog) {
    const { identityTablesOf } = await import('./identity-tables.ts')
    identityTablesOf(catalog)
  },
}
