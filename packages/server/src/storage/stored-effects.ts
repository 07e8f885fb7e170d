/**
 * The effect queue (mails, webhooks): an outbox in the database. A transaction adds an effect as a
 * row. When it is due, one process claims it under a lease, runs it and deletes the row. A failed
 * effect stays until an operator decides. Other modules run the effects.
 */
import type { Author, Change } from './changes.ts'
import { jobsTable } from './stored-jobs.ts'

/**
 * The write that left an effect: its author and request. `causedBy`: the id of the effect whose
 * code wrote. `depth`: 1 for an effect of a caller's write, one more for each effect above it.
 */
export type EffectOrigin = Pick<Author, 'userId' | 'role' | 'credential' | 'tenant' | 'requestId'> & {
  readonly causedBy?: string
  readonly depth: number
}

/** An effect as a transaction adds it. `payload`: JSON text. */
export type NewEffect = {
  /** The same in all tries. */
  readonly id: string
  readonly kind: string
  /** The subject of the effect: a later transaction can withdraw it by kind and key. */
  readonly key: string | null
  /** Whether those of the same kind and key run one at a time, the oldest first. */
  readonly inOrder: boolean
  readonly dueMs: number
  readonly leftMs: number
  readonly payload: string
  /** JSON text of an `EffectOrigin`; null for one that an earlier version left. */
  readonly context: string | null
}

/**
 * `number`: its position among all. A later effect may reuse the number, so the id is compared too.
 */
export type EffectPlace = { readonly number: number; readonly id: string }

/** An effect that this process has claimed. `tries`: including this one. */
export type ClaimedEffect = EffectPlace &
  Pick<NewEffect, 'kind' | 'key' | 'payload' | 'leftMs' | 'context'> & {
    /** JSON text: the results of the steps that earlier tries finished. */
    readonly steps: string | null
    readonly tries: number
    /** Whether an earlier claim ended with its lease: its process died, or was too slow. */
    readonly wasLost: boolean
  }

/** `behind`: an older one of its kind and key comes first. */
export const effectStates = ['waiting', 'behind', 'running', 'lost', 'given-up'] as const
export type EffectState = (typeof effectStates)[number]

export type StoredEffect = Omit<ClaimedEffect, 'wasLost'> & {
  /** `lost`: its lease has ended, and no process has claimed it again. */
  readonly state: EffectState
  /** The time of its next try, the end of its lease, or the time it was given up. */
  readonly dueMs: number
  /** The error of the last failed try. */
  readonly error: string | null
}

/** An attempt that was an end of it, or failed. */
export type EndedWork = {
  /**
   * `order.announce` of a resource, `job.sendInvoice`, `schedule.nightly`, `mail:orderShipped`;
   * `mail` for those of accounts.
   */
  readonly kind: string
  readonly id: string
  /** Of an effect of a resource: the id of its record. */
  readonly key: string | null
  /** This one included. */
  readonly tries: number
  /** `failed`: it is tried again later. */
  readonly outcome: 'done' | 'failed' | 'given-up'
  readonly error?: unknown
}

export type EffectDepth = {
  readonly kind: string
  readonly state: EffectState
  readonly count: number
  /** The time of the oldest one. */
  readonly oldestMs: number
}

/** Effects of a kind that an operator has to see to. */
export type EffectTrouble = {
  readonly kind: string
  /** `lost`: their process ended before they did. `overdue`: due, and nothing runs them. */
  readonly what: 'given-up' | 'lost' | 'overdue'
  readonly count: number
  /** The error of one of them. */
  readonly error: string | null
}

export type EffectTroubles = {
  /** How many of each kind are not given up. */
  readonly waiting: readonly { readonly kind: string; readonly count: number }[]
  readonly troubles: readonly EffectTrouble[]
}

export type ClaimRequest = {
  readonly kind: string
  /**
   * The claim looks at no earlier due times, so that it need not scan index entries of done
   * effects.
   */
  readonly fromMs: number
  /** It claims effects whose lease has ended, too. */
  readonly withLost: boolean
  readonly nowMs: number
  readonly limit: number
  readonly holder: string
  readonly leaseMs: number
  readonly inOrder: boolean
}

/** `uncounted`: the process is stopping, so it was no try. */
export type RetriedEffect = EffectPlace & {
  readonly dueMs: number
  readonly error: string | null
  readonly uncounted?: boolean
}

/** The outcomes of claimed effects. */
export type EffectOutcomes = {
  readonly done: readonly EffectPlace[]
  readonly later: readonly RetriedEffect[]
  readonly givenUp: readonly (EffectPlace & { readonly error: string })[]
}

export type EffectQuery = {
  readonly kind?: string | undefined
  readonly state?: EffectState | undefined
  /** The number of the last one of the page before. */
  readonly after?: number
  readonly limit: number
  readonly nowMs: number
}

export type StoredEffects = {
  /** When the next of a kind is due, from a time on; undefined without any. */
  next(kind: string, fromMs: number): Promise<number | undefined>
  /** When the first lease of a running one ends; undefined without any. */
  nextLost(kind: string): Promise<number | undefined>
  /** Claims the oldest due effects for this process until the lease ends. */
  claim(request: ClaimRequest): Promise<readonly ClaimedEffect[]>
  /** Renews those leases of the holder that have not ended. */
  beat(holder: string, numbers: readonly number[], untilMs: number): Promise<void>
  /** Stores the finished steps of an effect. Returns whether the holder still has it. */
  keepSteps(holder: string, place: EffectPlace, steps: string): Promise<boolean>
  /**
   * Ends claims of the holder; effects that another process has claimed since stay unchanged.
   * Returns the ids of those that could not be written yet, because a transaction has locked them.
   */
  settle(holder: string, outcomes: EffectOutcomes, nowMs: number): Promise<readonly string[]>
  /** The number of waiting or running effects of a kind, counted up to a limit. */
  count(kind: string, most: number): Promise<number>
  /** The number of those of a kind and key that are not given up, counted up to a limit. */
  unended(kind: string, key: string, most: number): Promise<number>
  depths(nowMs: number): Promise<readonly EffectDepth[]>
  /** For the findings of the doctor. */
  troubles(nowMs: number): Promise<EffectTroubles>
  /** In the order of their numbers. */
  list(query: EffectQuery): Promise<readonly StoredEffect[]>
  /** By the first characters of their ids. */
  findAll(idStart: string, nowMs: number): Promise<readonly StoredEffect[]>
  /** Makes these due now; failed ones go to the end of their line. Returns how many there were. */
  retry(numbers: readonly number[], nowMs: number): Promise<number>
  /** Makes those of a kind and these keys that wait due now. Returns whether there were any. */
  hasten(kind: string, keys: readonly string[], nowMs: number): Promise<boolean>
  /**
   * Gives up those that are not running. The error of their last failed attempt stays behind this
   * one. Returns how many there were.
   */
  giveUp(numbers: readonly number[], error: string, nowMs: number): Promise<number>
  /** Removes effects that were given up. Returns how many there were. */
  remove(numbers: readonly number[]): Promise<number>
  /** Keeps the newest given-up effects of a kind. Returns how many it removed. */
  keepNewest(kind: string, most: number): Promise<number>
  /**
   * Removes some of those that were given up before this time, without the work of jobs. Returns
   * whether there may be more.
   */
  sweep(givenUpSinceMs: number): Promise<boolean>
}

/** The part of a transaction that adds effects. */
export type EffectWriter = {
  /** They run after this transaction has committed, and only then. */
  leaveEffects(effects: readonly NewEffect[]): Promise<void>
  /**
   * Withdraws those of a kind and key in any state: a running one goes on, and then finds itself
   * withdrawn. Returns how many there were.
   */
  takeBackEffects(kind: string, key: string): Promise<number>
  /** Whether it was not withdrawn. */
  hasEffect(place: EffectPlace): Promise<boolean>
}

/** The name of effects in the change log, as a resource without a declaration. */
export const effectsTable = 'bindery_effects'

/**
 * The entry in the change log for one statement that added effects: for each kind, when the first
 * is due. `images` only marks this process's own changes.
 */
export function announcementOf(effects: readonly NewEffect[]) {
  const first: Record<string, number> = {}
  for (const { kind, dueMs } of effects) first[kind] = Math.min(first[kind] ?? dueMs, dueMs)
  return { detail: { after: first }, images: () => [] }
}

/**
 * The kinds of effects that a change added or brought forward, and when the first of each is due;
 * empty for other changes.
 */
export function newEffectsOf({ resource, detail }: Pick<Change, 'resource' | 'detail'>): readonly [string, number][] {
  if (resource !== effectsTable && resource !== jobsTable) return []
  return Object.entries((detail?.after ?? {}) as Record<string, number>)
}
