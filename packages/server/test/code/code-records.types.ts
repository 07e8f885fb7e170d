/**
 * The compiler tells records that act as the system from judged ones, and takes neither for the
 * other. A judged record may lack every value but its id.
 */
import {
  anyone,
  type CallerRecords,
  defineResource,
  id,
  integer,
  type JudgedRecords,
  type KnownCaller,
  money,
  type OutsideCode,
  password,
  type Records,
  type RecordsForCaller,
  type SystemRecords,
  text,
  type UnboundedRecords,
} from '../../src/index.ts'

const fields = { id: id(), title: text({ required: true }), pages: integer(), price: money(), pin: password() }
const books = defineResource({ name: 'book', path: '/books', fields, access: { list: anyone } })

declare const system: SystemRecords
declare const forCaller: CallerRecords
declare const caller: KnownCaller
declare const effect: OutsideCode<SystemRecords>
declare const endpoint: OutsideCode<CallerRecords>

declare function bySystem(records: SystemRecords): void
declare function aboveTenants(records: UnboundedRecords): void
declare function byCaller(records: CallerRecords): void
declare function withSystem(records: Records<typeof fields>): void
declare function withJudged(records: JudgedRecords<typeof fields>): void
declare function withTitle(title: string): void

export async function rights(): Promise<void> {
  bySystem(system)
  aboveTenants(forCaller.system)
  byCaller(forCaller)
  withSystem(system(books))
  withJudged(forCaller(books))
  withJudged(system.as(caller)(books))
  withSystem(forCaller.system(books))
  const judged: RecordsForCaller = system.as(caller)
  withTitle((await system(books).get('1')).title)
  await effect.transaction(async ({ records }) => withTitle((await records(books).get('1')).title))
  await endpoint.transaction(async ({ records }) => withTitle((await records.system(books).get('1')).title))
  await judged(books).create({ title: 'a', price: 100, pin: 'a secret' })
  aboveTenants(endpoint.records.system)
  withJudged(endpoint.records(books))
  withSystem(endpoint.records.system.quiet(books))
  withJudged(endpoint.records.system.as(caller)(books))
  bySystem(endpoint.records.system.within(books, '1'))
  await endpoint.transaction(async ({ records }) => aboveTenants(records.system))

  // @ts-expect-error it acts as the system already
  endpoint.records.system.system(books)
  // @ts-expect-error only the system's records cause no effects
  endpoint.records.quiet(books)

  // @ts-expect-error it is above all tenants
  bySystem(forCaller.system)
  // @ts-expect-error its records are judged
  bySystem(forCaller)
  // @ts-expect-error they act as the system
  byCaller(system)
  // @ts-expect-error these are judged
  withSystem(forCaller(books))
  // @ts-expect-error these are judged
  withSystem(system.as(caller)(books))
  // @ts-expect-error these act as the system
  withJudged(system(books))
  // @ts-expect-error these act as the system
  withJudged(forCaller.system(books))
  // @ts-expect-error only the engine makes a caller
  system.as({ userId: null, role: null, isTrusted: true })
  // @ts-expect-error the caller may not read it, perhaps
  withTitle((await forCaller(books).get('1')).title)
  // @ts-expect-error no caller is shown a secret
  withTitle((await forCaller(books).get('1')).pin)
  // @ts-expect-error the records of an endpoint are judged in its transactions too
  await endpoint.transaction(async ({ records }) => withTitle((await records(books).get('1')).title))
  // @ts-expect-error judged records are of one caller
  judged.system(books)
  // @ts-expect-error the caller is the one of the endpoint
  endpoint.records.as(caller)
  // @ts-expect-error a title is missing
  await judged(books).create({})
  // @ts-expect-error there is no such field
  await judged(books).update('1', { titel: 'a' })
}
