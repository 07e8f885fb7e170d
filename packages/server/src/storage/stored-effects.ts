/**
 * Work that a transaction leaves behind, as rows of the database: each waits until it is due, is
 * claimed by one process under a lease, and goes when it is done. An effect that is given up stays
 * until an operator decides. How work is done is not known here.
 */
import type { Change } from './changes.ts'

/** An effect as a transaction leaves it. `payload`: JSON text. */
export type NewEffect = {
  /** Stable over all tries. */
  readonly id: string
  readonly kind: string
  /** The subject of the work: by kind and key it is taken back. */
  readonly key: string | null
  /** Whether those of the same kind and key run one at a time, the oldest first. */
  readonly inOrder: boolean
  readonly dueMs: number
  readonly leftMs: number
  readonly payload: string
}

/**
 * `number`: its place among all; another effect may have it when this one has gone, so the id is
 * asked for too.
 */
export type EffectPlace = { readonly number: number; readonly id: string }

/** One that this process has claimed. `tries`: this one included. */
export type ClaimedEffect = EffectPlace &
  Pick<NewEffect, 'kind' | 'key' | 'payload' | 'leftMs'> & {
    readonly tries: number
    /** Whether another claim of it ended with its lease: its process died, or was too slow. */
    readonly wasLost: boolean
  }

/** `behind`: an older one of its kind and key comes first. */
export const effectStates = ['waiting', 'behind', 'running', 'lost', 'given-up'] as const
export type EffectState = (typeof effectStates)[number]

export type StoredEffect = Omit<ClaimedEffect, 'wasLost'> & {
  /** `lost`: its lease has ended, and nothing has claimed it again. */
  readonly state: EffectState
  /** When it is tried next, its lease ends, or it was given up. */
  readonly dueMs: number
  /** Of the last try that failed. */
  readonly error: string | null
}

export type EffectDepth = {
  readonly kind: string
  readonly state: EffectState
  readonly count: number
  /** When the oldest was left. */
  readonly oldestMs: number
}

export type ClaimRequest = {
  readonly kind: string
  /**
   * None that is due earlier is looked for: it keeps the look from walking over all that is done.
   */
  readonly fromMs: number
  readonly nowMs: number
  readonly limit: number
  readonly holder: string
  readonly leaseMs: number
  readonly inOrder: boolean
}

/** `uncounted`: it was no try, since its process stops. */
export type RetriedEffect = {
  readonly number: number
  readonly dueMs: number
  readonly error: string | null
  readonly uncounted?: boolean
}

/** The outcomes of claimed effects. */
export type EffectOutcomes = {
  readonly done: readonly number[]
  readonly later: readonly RetriedEffect[]
  readonly givenUp: readonly { readonly number: number; readonly error: string }[]
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
  /** When the next of a kind is due, or its lease ends; undefined where there is none. */
  next(kind: string, fromMs: number): Promise<number | undefined>
  /** The oldest that are due, each for one process until its lease ends. */
  claim(request: ClaimRequest): Promise<readonly ClaimedEffect[]>
  /** Leases of the holder that still hold last until then. */
  beat(holder: string, numbers: readonly number[], untilMs: number): Promise<void>
  /**
   * Ends claims of the holder; what another process has claimed by now stays as it is. Returns the
   * numbers that could not be written yet, since a transaction holds them.
   */
  settle(holder: string, outcomes: EffectOutcomes, nowMs: number): Promise<readonly number[]>
  /** How many of a kind wait or run, counted up to so many. */
  count(kind: string, most: number): Promise<number>
  depths(nowMs: number): Promise<readonly EffectDepth[]>
  /** In the order in which they were left. */
  list(query: EffectQuery): Promise<readonly StoredEffect[]>
  /** By the beginning of their ids. */
  findAll(idStart: string, nowMs: number): Promise<readonly StoredEffect[]>
  /**
   * These are due now; those given up stand at the end of their line again. Returns how many there
   * were.
   */
  retry(numbers: readonly number[], nowMs: number): Promise<number>
  /** Gives up those that do not run. Returns how many there were. */
  giveUp(numbers: readonly number[], error: string, nowMs: number): Promise<number>
  /** Removes those given up. Returns how many there were. */
  remove(numbers: readonly number[]): Promise<number>
  /** Of those given up of a kind the newest stay. Returns how many went. */
  keepNewest(kind: string, most: number): Promise<number>
}

/** The part of a transaction that leaves work. */
export type EffectWriter = {
  /** They run when this transaction has committed, and only then. */
  leaveEffects(effects: readonly NewEffect[]): Promise<void>
  /**
   * Takes back those of a kind and key, in whatever state: one that runs goes on, and finds itself
   * gone. Returns how many there were.
   */
  takeBackEffects(kind: string, key: string): Promise<number>
  /** Whether it was not taken back. */
  hasEffect(place: EffectPlace): Promise<boolean>
}

/** How the change log names effects that were left, as a resource that nobody declares. */
export const effectsTable = 'bindery_effects'

/**
 * The change log says this of one statement that left effects: for each kind when the first of them
 * is due. `images`: nothing but the sign of this process's own changes.
 */
export function announcementOf(effects: readonly NewEffect[]) {
  const first: Record<string, number> = {}
  for (const { kind, dueMs } of effects) first[kind] = Math.min(first[kind] ?? dueMs, dueMs)
  return { detail: { after: first }, images: () => [] }
}

/**
 * Which kinds a change has left, and when the first of each is due; nothing where it is about
 * something else.
 */
export function newEffectsOf({ resource, detail }: Pick<Change, 'resource' | 'detail'>): readonly [string, number][] {
  if (resource !== effectsTable) return []
  return Object.entries((detail?.after ?? {}) as Record<string, number>)
}
