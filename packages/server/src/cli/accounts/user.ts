/**
 * `bindery user create|list|set`: the people who may log in. The mark of a declaration says which resource they are, and which of its
 * fields are the e-mail, the role and the status.
 */
import type { Command } from 'commander'
import { ApiError, StartError } from '../../errors.ts'
import type { Engine } from '../../perform/engine.ts'
import type { LoginMark } from '../../resource/accounts/identity-mark.ts'
import type { Marked, Resource } from '../../resource/catalog.ts'
import { all, equal } from '../../resource/condition.ts'
import { inSentence } from '../../resource/words/names.ts'
import type { Represented } from '../../value/represent.ts'
import { type Cli, createRecord, findRecord, listRecords, updateRecord, withEngine } from '../console.ts'
import { UsageError } from '../failure.ts'
import { anyPassword, givenPassword, type PasswordOptions } from '../terminal/ask-password.ts'
import { plainJson } from '../terminal/output.ts'
import { makeTable, printRecord } from '../terminal/table.ts'

type CreateOptions = PasswordOptions & { email: string; role?: string; name?: string }
type SetOptions = PasswordOptions & { email?: string; role?: string; status?: string; name?: string }
type ListOptions = { role?: string; status?: string }

/** Throws `StartError` in an application without users. */
export function loginOf({ catalog }: Engine): Marked<LoginMark> {
  if (!catalog.login) throw new StartError('This application has no users')
  return catalog.login
}

/** By e-mail in any case, or by id. Throws `not-found`. */
export async function getUser(engine: Engine, word: string): Promise<Represented> {
  const { resource, mark } = loginOf(engine)
  const where = word.includes('@') ? equal(mark.login, word) : equal(resource.idField, word.toLowerCase())
  const found = await findRecord(engine, resource, where)
  if (!found) throw new ApiError('not-found', `${resource.label} ${word} not found`)
  return found
}

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

/** The field that `--status` means. Throws `UsageError` for the option where users have no status. */
function statusOf({ resource, mark }: Marked<LoginMark>, text: string | undefined): string | undefined {
  if (text !== undefined && mark.status === undefined)
    throw new UsageError(`--status is not known here: a ${inSentence(resource.label)} has none`)
  return mark.status
}

/** A condition on one field. Throws `UsageError` for a value that no record can have: it is mistyped. */
function isOneOf(resource: Resource, name: string | undefined, text: string | undefined) {
  if (name === undefined || text === undefined) return all()
  checkOneOf(resource, name, text)
  return equal(name, text)
}

async function create(cli: Cli, { email, role, name, ...options }: CreateOptions): Promise<void> {
  const password = await anyPassword(options, !cli.output.json)
  const record = await withEngine(cli, async (engine) => {
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

async function list(cli: Cli, { role, status }: ListOptions): Promise<void> {
  await withEngine(cli, async (engine) => {
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

async function set(cli: Cli, word: string, { email, role, status, name, ...options }: SetOptions): Promise<void> {
  if (!email && !role && !status && name === undefined && !options.password && !options.passwordStdin) {
    throw new UsageError('nothing to set: give --email, --role, --status, --name or --password-stdin')
  }
  const password = await givenPassword(options)
  const record = await withEngine(cli, async (engine) => {
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

export function addUser(program: Command, cli: Cli): void {
  const user = program
    .command('user')
    .description('the people who may log in')
    .addHelpText(
      'after',
      '\nExamples:\n  $ bindery user create --email ann@example.com\n  $ bindery user list --json | jq -r .email',
    )
  user
    .command('create')
    .description('make a user; without a password one is asked for on a terminal, else made and shown once')
    .requiredOption('--email <email>', 'the address that the user logs in with')
    .option('--role <role>', 'one of the roles of this application')
    .option('--name <name>')
    .option('--password <text>', 'every user of this machine sees it while the command runs; prefer --password-stdin')
    .option('--password-stdin', 'read the password from standard input')
    .addHelpText(
      'after',
      '\nExamples:\n  $ bindery user create --email ann@example.com --name Ann\n  $ pass show ann | bindery user create --email ann@example.com --password-stdin',
    )
    .action((options: CreateOptions) => create(cli, options))
  user
    .command('list')
    .description('all users, newest first')
    .option('--role <role>', 'only users of this role')
    .option('--status <status>', 'only users in this status')
    .addHelpText('after', '\nExamples:\n  $ bindery user list --role ROLE\n  $ bindery user list --json | jq -r .email')
    .action((options: ListOptions) => list(cli, options))
  user
    .command('set')
    .description('change a user; a new password ends all sessions, a new role or status acts at once')
    .argument('<id-or-email>')
    .option('--email <email>')
    .option('--role <role>', 'one of the roles of this application')
    .option('--status <status>', 'ACTIVE, INACTIVE or SUSPENDED')
    .option('--name <name>')
    .option('--password-stdin', 'read the new password from standard input')
    .addHelpText(
      'after',
      '\nExamples:\n  $ bindery user set ann@example.com --role ROLE\n  $ pass show ann | bindery user set ann@example.com --password-stdin',
    )
    .action((word: string, options: SetOptions) => set(cli, word, options))
}
