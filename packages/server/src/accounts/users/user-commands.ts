/**
 * The commands `bindery user create|list|set`. The mark of a declaration says which resource holds
 * the users, and which of its fields are the e-mail, the role and the status.
 */

import { createRecord, listRecords, updateRecord } from '../../command/console-records.ts'
import { type Command, type Console, defineCommand } from '../../command/define-command.ts'
import { plainJson } from '../../command/output.ts'
import { makeTable, printRecord } from '../../command/table.ts'
import { UsageError } from '../../command/usage-error.ts'
import type { LoginMark } from '../../resource/accounts/identity-mark.ts'
import type { MarkedTable, Resource } from '../../resource/catalog.ts'
import { all, equal } from '../../resource/condition.ts'
import { inSentence, withArticle } from '../../resource/words/names.ts'
import { type PasswordOptions, passwordFromOptions, passwordOrGenerated } from './ask-password.ts'
import { getUser, loginOf } from './named-user.ts'

type CreateOptions = PasswordOptions & { email: string; role?: string; name?: string }
type SetOptions = PasswordOptions & { email?: string; role?: string; status?: string; name?: string }
type ListOptions = { role?: string; status?: string }

/** Only the values that were given on the command line. */
function given(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** Throws `UsageError` for an option that is none of the field's values. */
function checkOneOf(resource: Resource, name: string, text: string | undefined): void {
  const values = resource.fields[name]?.values ?? []
  if (text !== undefined && !values.includes(text))
    throw new UsageError(`--${name} must be one of ${values.join(', ')}`)
}

/**
 * The field that `--status` means. Throws `UsageError` for the option where users have no status.
 */
function statusOf({ resource, mark }: MarkedTable<LoginMark>, text: string | undefined): string | undefined {
  if (text !== undefined && mark.status === undefined)
    throw new UsageError(`--status is not known here: ${withArticle(inSentence(resource.label))} has none`)
  return mark.status
}

/**
 * A condition on one field. Throws `UsageError` for a value that no record can have: it is
 * mistyped.
 */
function isOneOf(resource: Resource, name: string | undefined, text: string | undefined) {
  if (name === undefined || text === undefined) return all()
  checkOneOf(resource, name, text)
  return equal(name, text)
}

async function create(cli: Console, { email, role, name, ...options }: CreateOptions): Promise<void> {
  const password = await passwordOrGenerated(options, !cli.output.json)
  const record = await cli.withEngine(async (engine) => {
    const { resource, mark } = loginOf(engine)
    checkOneOf(resource, mark.role, role)
    const input = given({ [mark.login]: email, [mark.secret]: password.text, [mark.role]: role, name })
    return (await createRecord(engine, resource, { input })).record
  })
  const shown = password.generated ? { ...record, password: password.text } : record
  if (cli.output.json) return cli.output.value(shown)
  await cli.output.write(printRecord(shown))
  if (password.generated) cli.output.note('The password is shown only now.')
}

async function list(cli: Console, { role, status }: ListOptions): Promise<void> {
  await cli.withEngine(async (engine) => {
    const login = loginOf(engine)
    const { resource, mark } = login
    const where = all(isOneOf(resource, mark.role, role), isOneOf(resource, statusOf(login, status), status))
    const table = makeTable(
      resource.fieldNames.filter((name) => !resource.fields[name]?.hidden && name !== resource.updatedField),
    )
    let count = 0
    for await (const records of listRecords(engine, resource, where)) {
      if (cli.output.json)
        await cli.output.write(records.map((record) => `${plainJson(JSON.stringify(record))}\n`).join(''))
      else await cli.output.write(table.print(records, { header: count === 0 }))
      count += records.length
    }
    cli.output.note(`${count} ${count === 1 ? inSentence(resource.label) : resource.plural}`)
  })
}

async function set(cli: Console, word: string, { email, role, status, name, ...options }: SetOptions): Promise<void> {
  if (!email && !role && !status && name === undefined && !options.password && !options.passwordStdin) {
    throw new UsageError('nothing to set: give --email, --role, --status, --name or --password-stdin')
  }
  const password = await passwordFromOptions(options)
  const record = await cli.withEngine(async (engine) => {
    const login = loginOf(engine)
    const { resource, mark } = login
    const statusField = statusOf(login, status)
    checkOneOf(resource, mark.role, role)
    if (statusField !== undefined) checkOneOf(resource, statusField, status)
    const user = await getUser(engine, word)
    const input = given({
      [mark.login]: email,
      [mark.role]: role,
      ...(statusField === undefined ? {} : { [statusField]: status }),
      [mark.secret]: password,
      name,
    })
    return updateRecord(engine, resource, { id: String(user[resource.idField]), input })
  })
  await (cli.output.json ? cli.output.value(record) : cli.output.write(printRecord(record)))
}

const createUser = defineCommand({
  name: 'create',
  about: 'make a user; without a password one is asked for on a terminal, else made and shown once',
  options: {
    email: { flag: '--email <email>', about: 'the address that the user logs in with', isRequired: true },
    role: { flag: '--role <role>', about: 'one of the roles of this application' },
    name: { flag: '--name <name>' },
    password: {
      flag: '--password <text>',
      about: 'every user of this machine sees it while the command runs; prefer --password-stdin',
    },
    passwordStdin: { flag: '--password-stdin', about: 'read the password from standard input' },
  },
  examples: [
    'bindery user create --email ann@example.com --name Ann',
    'pass show ann | bindery user create --email ann@example.com --password-stdin',
  ],
  run: ({ options }, cli) => create(cli, options),
})

const listUsers = defineCommand({
  name: 'list',
  about: 'all users, newest first',
  options: {
    role: { flag: '--role <role>', about: 'only users of this role' },
    status: { flag: '--status <status>', about: 'only users in this status' },
  },
  examples: ['bindery user list --role ROLE', 'bindery user list --json | jq -r .email'],
  run: ({ options }, cli) => list(cli, options),
})

const setUser = defineCommand({
  name: 'set',
  about: 'change a user; a new password ends all sessions, a new role or status acts at once',
  argument: { name: '<id-or-email>' },
  options: {
    email: { flag: '--email <email>' },
    role: { flag: '--role <role>', about: 'one of the roles of this application' },
    status: { flag: '--status <status>', about: 'ACTIVE, INACTIVE or SUSPENDED' },
    name: { flag: '--name <name>' },
    passwordStdin: { flag: '--password-stdin', about: 'read the new password from standard input' },
  },
  examples: [
    'bindery user set ann@example.com --role ROLE',
    'pass show ann | bindery user set ann@example.com --password-stdin',
  ],
  run: ({ argument, options }, cli) => set(cli, argument, options),
})

export const userExample = 'bindery user create --email ann@example.com'

export const userCommands: Command = {
  name: 'user',
  about: 'the people who may log in',
  examples: [userExample, 'bindery user list --json | jq -r .email'],
  shows: ['roles'],
  commands: [createUser, listUsers, setUser],
}
