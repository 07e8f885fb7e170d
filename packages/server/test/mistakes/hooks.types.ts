/**
 * Compile-time tests of hooks and effects: the values that are prepared, the input of actions, and
 * the changes that effects follow. The first declaration is right.
 */
import {
  anyone,
  bigint,
  changed,
  type DeclaredEffect,
  date,
  defineAction,
  defineResource,
  type EffectRecord,
  id,
  integer,
  reference,
  state,
  text,
  textList,
} from '../../src/index.ts'

const fields = {
  id: id(),
  title: text({ required: true }),
  weeks: integer({ default: 1 }),
  authorId: reference('author'),
  state: state(['DRAFT', 'OUT'], { default: 'DRAFT', transitions: { publish: { from: ['DRAFT'], to: 'OUT' } } }),
}
const authors = defineResource({ name: 'author', fields: { id: id(), name: text() }, access: { get: anyone } })
const actions = {
  extend: defineAction(fields, {
    input: { weeks: integer({ required: true }), until: date(), note: text({ default: 'none' }) },
    run: ({ input }) => void input.weeks,
  }),
}
const access = { create: anyone, update: anyone, delete: anyone, publish: anyone, extend: anyone, split: anyone }

export const books = defineResource({
  name: 'book',
  fields,
  access,
  actions: {
    ...actions,
    split: {
      async run({ record, records }) {
        return (await records(books).create({ title: record.title })).id
      },
    },
  },
  hooks: {
    prepareCreate: async ({ sent, dryRun }) => ({ isKnown: sent.title !== undefined, wasTried: dryRun }),
    async beforeCreate({ prepared, records, record }) {
      const isKnown: boolean | undefined = prepared?.isKnown
      if (record.authorId) await records(authors).get(record.authorId)
      return { weeks: isKnown && !prepared?.wasTried ? 2 : 1 }
    },
    prepareUpdate: ({ previous }) => previous.weeks,
    beforeUpdate({ prepared }) {
      const weeks: number | null | undefined = prepared
      return { weeks }
    },
    prepareDelete: () => 'yes' as const,
    beforeDelete({ prepared }) {
      const word: 'yes' | undefined = prepared
      void word
    },
    beforeExtend({ previous, input, refuse }) {
      const weeks: number = input.weeks
      const until: string | null = input.until
      const note: string | null = input.note
      if (weeks > (previous.weeks ?? 0)) refuse(`${until} ${note}`, 'weeks')
      return { weeks }
    },
    beforeSplit: ({ previous }) => ({ title: previous.title }),
    beforePublish: ({ previous, refuse }) => void (previous.authorId ?? refuse('It has no author', 'authorId')),
  },
})

const base = { name: 'book', fields, access, actions: { ...actions, split: { run: () => undefined } } } as const

// @ts-expect-error no such member of the input
defineResource({ ...base, hooks: { beforeExtend: ({ input }) => void input.days } })
// @ts-expect-error a value of another type
defineResource({ ...base, hooks: { beforeExtend: ({ input }) => void input.weeks.trim() } })
// @ts-expect-error no such action
defineResource({ ...base, hooks: { beforeExtends: () => undefined } })
defineResource({
  ...base,
  hooks: {
    prepareCreate: () => ({ country: 'DE' }),
    // @ts-expect-error no such member of the prepared value
    beforeCreate: ({ prepared }) => ({ title: prepared?.contry }),
  },
})
defineResource({
  ...base,
  // @ts-expect-error nothing is prepared without a hook that prepares it
  hooks: { beforeCreate: ({ prepared }) => ({ title: prepared.country }) },
})
// @ts-expect-error a hook that prepares has no records
defineResource({ ...base, hooks: { prepareCreate: ({ records }) => void records } })
// @ts-expect-error a hook in the transaction is given no fetch
defineResource({ ...base, hooks: { beforeExtend: ({ fetch }) => void fetch } })

const followed = { ...fields, bytes: bigint(), tags: textList() }
const run = () => undefined
const tell: DeclaredEffect<EffectRecord<typeof followed>, typeof followed> = {
  on: ['update', changed('state', { from: 'DRAFT', to: 'OUT' }), changed('bytes', { to: 1n }), changed('tags')],
  run: ({ record }) => void record.title,
}
const follow = { on: [changed('weeks', { to: 7 })], run }
export const followedBooks = defineResource({
  ...base,
  fields: followed,
  effects: { tell, follow, also: { on: ['create', changed('title', { to: 'Dune' }), changed('authorId')], run } },
})
// @ts-expect-error no such field
defineResource({ ...base, effects: { tell: { on: [changed('titel')], run } } })
// @ts-expect-error a value of another type
defineResource({ ...base, effects: { tell: { on: [changed('title', { to: 7 })], run } } })
// @ts-expect-error a value of another type
defineResource({ ...base, effects: { tell: { on: ['create', changed('weeks', { from: '7', to: 8 })], run } } })
// @ts-expect-error no such state
defineResource({ ...base, effects: { tell: { on: [changed('state', { to: 'GONE' })], run } } })
// @ts-expect-error a list is no value that is compared
defineResource({ ...base, fields: followed, effects: { tell: { on: [changed('tags', { to: ['a'] })], run } } })
