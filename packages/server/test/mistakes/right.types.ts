/**
 * Compile-time tests: declarations that must compile, and the types that follow from them.
 * `mistakes.types.ts` breaks these declarations.
 */
import {
  type ActionContext,
  anyOf,
  anyone,
  apiKey,
  boolean,
  choice,
  defineAction,
  defineResource,
  derived,
  embedded,
  equals,
  id,
  integer,
  onlyWhen,
  owner,
  reference,
  role,
  runService,
  state,
  text,
  through,
  timestamp,
  user,
  where,
} from '../../src/index.ts'

export const fields = {
  id: id(),
  memberId: reference('member', { setBy: 'principal' }),
  payerId: reference('member', { required: true, setBy: 'principal', onDelete: 'refuse' }),
  heirId: reference('member', { onDelete: 'refuse' }),
  weeks: integer({ required: true, default: 3, min: 1, max: 12 }),
  note: text(),
  kind: choice(['BOOK', 'FILM'], { default: ({ role }) => (role === 'ADMIN' ? 'FILM' : 'BOOK') }),
  status: state(['OPEN', 'DONE'], {
    default: 'OPEN',
    transitions: { close: { from: ['OPEN'], to: 'DONE', stamp: 'closedAt' } },
  }),
  open: boolean({ default: true }),
  closedAt: timestamp({ setOn: 'transition' }),
  lines: embedded('loan', 'memberId'),
  days: derived(integer({ read: role('ADMIN') }), ({ weeks }) => weeks * 7),
  late: derived(boolean(), ({ closedAt }, { now, currency }) => closedAt < now && currency === 'USD', { clock: true }),
}

/** Made apart, with its fields: the record and the input are typed by them. */
const extend = defineAction(fields, {
  input: { weeks: integer({ required: true, min: 1 }), why: text() },
  async run({ record, input, records, caller, refuse }) {
    const weeks: number = record.weeks + input.weeks
    const why: string | null = input.why
    if (weeks > 12) refuse(why ?? 'Too long')
    // @ts-expect-error there may be no user: in a sweep, or where a stranger asks
    const owner: string = caller.userId
    const asking: string = caller.userId ?? refuse('Log in first')
    if (owner !== asking) refuse(caller.role)
    const changed = await records(loans).update(record.id, { weeks })
    // @ts-expect-error no such field of the record
    record.wekes
    // @ts-expect-error no such field of the input
    input.wekes
    // @ts-expect-error not stored: a record in an action has what is stored
    record.lines
    return changed.id
  },
})

/** Made apart without fields: it cannot look at its record. */
const tidy = defineAction({
  async run({ record, records, now }) {
    // @ts-expect-error nobody has said which fields it has
    record.weeks
    await records(loans).deleteWhere({ closedAt: now })
  },
})

export const loans = defineResource({
  name: 'loan',
  path: '/loans',
  fields,
  list: {
    style: 'page',
    sortable: ['weeks', 'kind'],
    defaultSort: '-weeks',
    filters: { kind: equals('kind') },
    search: ['note'],
  },
  access: {
    list: anyOf([owner('memberId'), role('ADMIN')]),
    get: anyOf([where({ open: true }), apiKey(owner('memberId')), onlyWhen(() => true, user, owner('memberId'))]),
    update: through('memberId', anyOf([owner('id'), role('ADMIN')])),
    replace: { before: where({ open: true }), after: through('memberId', owner('id')) },
    close: user,
    extend: user,
    tidy: role('ADMIN'),
    split: user,
  },
  unique: [['memberId', 'note']],
  addOnCreate: ['weeks'],
  onWrite: { open: ({ status }) => status === 'OPEN' },
  hooks: {
    beforeCreate: ({ sent, record }) => ({ note: sent.note ?? `for ${record.weeks} weeks` }),
    async beforeUpdate({ record, previous, refuse }) {
      if (record.weeks < previous.weeks) refuse('A loan gets no shorter', 'weeks')
    },
    beforeDelete({ previous, refuse }) {
      if (previous.status === 'OPEN') refuse('It is still lent')
    },
  },
  graphql: { query: { mine: { operation: 'list', where: { open: true } } }, mutation: { shut: 'close' } },
  actions: {
    extend,
    tidy,
    /**
     * In its place: the record is typed by the declaration, and it may return what belongs to this
     * resource.
     */
    split: {
      creates: true,
      async run({ record, records }) {
        const loan = await records(loans).create({
          weeks: record.weeks,
          memberId: record.memberId,
          payerId: record.payerId,
        })
        const id: string = loan.id
        const kind: 'BOOK' | 'FILM' = loan.kind
        await records(members).get(loan.payerId)
        // @ts-expect-error an optional one may be null
        await records(members).get(loan.heirId)
        // @ts-expect-error no such field
        record.wekes
        return kind === 'BOOK' ? id : record.id
      },
    },
  },
})

export const members = defineResource({
  name: 'member',
  path: '/members',
  fields: { id: id(), name: text({ required: true }), age: integer() },
  access: { get: anyone },
})

export async function calls({ records, record }: ActionContext<typeof fields>): Promise<void> {
  const weeks: number = record.weeks
  await records(members).create({ name: 'Ann', age: weeks })
  // @ts-expect-error a misspelt name
  await records(loans).update(record.id, { wekes: 3 })
  // @ts-expect-error a value of another type
  await records(loans).update(record.id, { weeks: '3' })
  // @ts-expect-error a word that the choice does not have
  await records(loans).update(record.id, { kind: 'BOOKS' })
  // @ts-expect-error never null
  await records(loans).update(record.id, { weeks: null })
  // @ts-expect-error not stored
  await records(loans).update(record.id, { lines: [] })
  // @ts-expect-error a misspelt name
  await records(loans).list({ membreId: record.memberId })
  // @ts-expect-error a misspelt name
  await records(loans).deleteWhere({ stauts: 'OPEN' })
  // @ts-expect-error a record without its name
  await records(members).create({ age: 3 })
  // @ts-expect-error a misspelt name
  await records(members).create({ name: 'Ann', aeg: 3 })
  // @ts-expect-error an id that may be null
  await records(members).get(record.memberId)
  // @ts-expect-error not an id
  await records(members).get({ id: record.id })
  // @ts-expect-error a name in place of a declaration
  await records('loan').get(record.id)
  // @ts-expect-error no such field of a record
  void (await records(members).get(record.id)).nmae
}

export async function serve(): Promise<void> {
  await runService([loans, members])
  const list = [loans, members]
  await runService(list)
  await runService(async () => list)
}
