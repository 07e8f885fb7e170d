/**
 * A write that a caller requests, as write steps see it. Beside the stages of every write
 * (`stages.ts`) it has stages that know the caller and the sent values. One checks them, one does
 * long work, and one runs with the record locked.
 */
import type { Operation } from '../operation/operation.ts'
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Json } from '../resource/fields/field.ts'
import type { Principal } from '../resource/principal.ts'
import type { Reader, Row, Values } from '../storage/storage.ts'
import type { RecordTransaction } from './write-context.ts'

/** Values by field name, which a step may change. */
export type DraftValues = Record<string, unknown>

export type RequestedWrite = {
  readonly resource: Resource
  /** The kind of operation that is asked for. Of an import: of each of its lines. */
  readonly kind: Operation['kind']
  readonly caller: Principal
  /** Where the request came from. Absent at the console. */
  readonly address?: string | undefined
  readonly userAgent?: string | undefined
  readonly languages?: string | undefined
  /** It is tried, and undone. */
  readonly isDryRun: boolean
  /** The proof that was sent beside the values to show who asks, as it was sent. */
  readonly proof: unknown
  /** The steps of this write remember these, by keys of their own. */
  readonly notes: Map<symbol, unknown>
}

/**
 * The values that were sent for one record. `before`: the record, where there is one and it is
 * known already.
 */
export type StageInput = RequestedWrite & { readonly values: DraftValues; readonly before?: Row | undefined }
export type StageInputWithRow = RequestedWrite & { readonly values: DraftValues; readonly before: Row }

/** `first`: run it before each work that takes long, since it may refuse. */
export type WorkStageInput = StageInput & { readonly first?: (() => Promise<void>) | undefined }
/** Values that this answer shows and no other, by field name. */
export type Revealed = Readonly<Record<string, string>>

type Stage<W> = (write: W) => void | Promise<void>

/** `row`: the record that the write would make; absent where it makes none. */
export type LimitedInput = StageInput & {
  readonly row: Values | undefined
  readonly reader: Pick<Reader, 'find'> & { readonly catalog: Catalog }
}

/**
 * A limit that a step sets to callers, as explanations of an access show it. The stages of the step
 * refuse by it; here it refuses the same, and changes nothing.
 */
export type CallerLimit = {
  /** `limits.grantedRoles` */
  readonly at: string
  readonly words: string
  readonly kinds: readonly Operation['kind'][]
  /** The operations that ask once the record is stored, after its references. */
  readonly asksStored?: readonly Operation['kind'][]
  /** Throws `forbidden`. */
  check(judged: LimitedInput): void | Promise<void>
}

/**
 * The stages of a write that a caller asks for, in their order. Each may throw, and nothing is
 * stored then.
 */
export type RequestStages = {
  /**
   * Whether the work takes so long, or costs so much, that the record is found and judged before
   * it.
   */
  readonly isCostly?: (sent: StageInput) => boolean
  /**
   * May the caller store what was sent? A costly write asks before its work, and every one on the
   * locked record.
   */
  readonly check?: Stage<StageInput>
  /**
   * Before the transaction of a write that is judged then: its hooks may reach the network. The
   * transaction is given the value.
   */
  readonly prepare?: (sent: StageInput) => Promise<unknown>
  /** Only of a costly write, with the record that was judged: the caller shows who asks. */
  readonly prove?: (sent: StageInputWithRow) => Promise<void>
  /**
   * Before the transaction, once: changes values, such as a password to its hash. An import's lines
   * do it inside.
   */
  readonly work?: (working: WorkStageInput) => Revealed | undefined | Promise<Revealed | undefined>
  /** First in the transaction. */
  readonly begin?: (
    tx: RecordTransaction,
    requested: RequestedWrite & { readonly before?: Row | undefined },
  ) => Promise<void>
  /** With the record locked and checked: may still change the values. */
  readonly locked?: (tx: RecordTransaction, sent: StageInputWithRow) => void | Promise<void>
  /** An action of the caller runs next on the record, which is locked. */
  readonly acting?: (tx: RecordTransaction, sent: StageInputWithRow) => Promise<void>
  /** May the caller remove the record? It is locked, and has not gone yet. */
  readonly mayRemove?: Stage<StageInputWithRow>
  /** After the record that was asked for was stored, or has gone. */
  readonly created?: (tx: RecordTransaction, made: StageInput & { readonly row: Row }) => Promise<void>
  readonly removed?: (tx: RecordTransaction, sent: StageInputWithRow) => Promise<void>
  /** No stage: what the stages refuse as forbidden, for explanations. */
  readonly limit?: CallerLimit
}

/** An action with its record, which is locked. */
export type EngineActionContext = {
  readonly tx: RecordTransaction
  readonly requested: RequestedWrite
  readonly record: Row
  readonly input: ActionInput
  /**
   * Changes the record as an update of the caller would. Fields that the caller may not read stay
   * as they are. Throws `forbidden` and what `tx.change` throws.
   */
  change(values: DraftValues): Promise<Row>
}
export type ActionInput = Readonly<Record<string, unknown>>
export type EngineActionResult = {
  readonly record: Row
  readonly created?: boolean
  readonly revealed?: Revealed | undefined
  /** The resource of the record; by default that of the action. */
  readonly resource?: Resource
  /** The values of an action with an output, which answers with them in place of the record. */
  readonly output?: Readonly<Record<string, Json>>
}

/**
 * An action that the engine does itself: a declaration names it, and has no code of its own for it.
 */
export type EngineAction = {
  readonly work: (acting: EngineActionContext) => Promise<EngineActionResult>
  /** The work around the transaction, which is `run`. `judge` finds the record, or throws. */
  readonly around?: <T>(
    requested: RequestedWrite & { readonly input: ActionInput },
    judge: () => Promise<Row>,
    run: () => Promise<T>,
  ) => Promise<T>
}

/** By the function that the declaration names. */
export type EngineActions = ReadonlyMap<unknown, EngineAction>
