/**
 * The places that hold copies of a record's values: kinds of resources, and tables of the service.
 * A kind or a table that is missing here does not compile.
 */
import type { IdentityMark } from '../../resource/accounts/identity-mark.ts'
import type { MadeFor } from '../../resource/traits.ts'
import type { ownTables } from '../../storage/changes.ts'

export type PlaceKind = 'record' | IdentityMark['kind'] | MadeFor['kind'] | (typeof ownTables)[number] | 'bindery_meta'

/**
 * `with`: its rows go with their record, by their references. `scrubbed`: the erasure removes the
 * values. `none`: it never has values of records.
 */
export type ErasurePlace = { readonly how: 'with' | 'scrubbed' | 'none'; readonly why: string }

export const erasurePlaces: Readonly<Record<PlaceKind, ErasurePlace>> = {
  record: { how: 'with', why: 'The record, and those that a delete takes along. Others lose personal values.' },
  login: { how: 'with', why: 'The user.' },
  'api-key': { how: 'with', why: 'Keys go with their owner.' },
  session: { how: 'with', why: 'Sessions go with their user.' },
  'refresh-token': { how: 'with', why: 'Tokens go with their session.' },
  'linked-account': { how: 'with', why: 'Log-ins by other issuers go with their user.' },
  'one-time-token': { how: 'with', why: 'Tokens of mails go with their user.' },
  'outgoing-mail': { how: 'scrubbed', why: 'Waiting mails of the user, and those to the address.' },
  factor: { how: 'with', why: 'Second factors go with their user.' },
  'recovery-code': { how: 'with', why: 'Recovery codes go with their user.' },
  audit: { how: 'scrubbed', why: 'Events stay with the id, without address, program and details.' },
  history: { how: 'with', why: 'Versions go with their record.' },
  links: { how: 'with', why: 'Links go with either record. The erasure removes those of versions.' },
  trash: { how: 'with', why: 'The erasure passes the trash, and ends what the trash has.' },
  files: { how: 'with', why: 'Files are released with their record, and the sweep removes their bytes.' },
  bindery_changes: { how: 'scrubbed', why: 'Values before and after.' },
  bindery_requests: { how: 'scrubbed', why: 'Answers that name the record.' },
  bindery_effects: {
    how: 'scrubbed',
    why: 'Effects of the record; mails of accounts and of the application that name the user; work whose kept steps do.',
  },
  bindery_jobs: { how: 'scrubbed', why: 'Jobs of the user, and those whose values name a record.' },
  bindery_counters: { how: 'none', why: 'Counts under hashed names, until their window ends.' },
  bindery_numbers: { how: 'none', why: 'The last number of each series.' },
  bindery_schedules: { how: 'none', why: 'Names and moments of schedules.' },
  bindery_meta: { how: 'none', why: 'The schema, and notes of the service.' },
}
