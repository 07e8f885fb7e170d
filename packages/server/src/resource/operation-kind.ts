/**
 * The engine's own operations, one row each, for policy, routes, scopes and documents. Every other
 * name of an operation is an action of the declaration. No other file lists the operations with
 * their facts.
 */

export type OperationFacts = {
  /** It changes nothing: the scope `read` covers it, and its rule says which records it finds. */
  readonly reads: boolean
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /**
   * The target of its path: one record, the collection, or the whole collection by a path of its
   * own.
   */
  readonly on: 'record' | 'collection' | 'whole'
  readonly body: 'fields' | 'lines' | 'none'
}

const operationKinds = {
  list: { reads: true, method: 'GET', on: 'collection', body: 'none' },
  get: { reads: true, method: 'GET', on: 'record', body: 'none' },
  create: { reads: false, method: 'POST', on: 'collection', body: 'fields' },
  replace: { reads: false, method: 'PUT', on: 'record', body: 'fields' },
  update: { reads: false, method: 'PATCH', on: 'record', body: 'fields' },
  delete: { reads: false, method: 'DELETE', on: 'record', body: 'none' },
  import: { reads: false, method: 'POST', on: 'whole', body: 'lines' },
  export: { reads: true, method: 'GET', on: 'whole', body: 'none' },
} as const satisfies Record<string, OperationFacts>

const action: OperationFacts = { reads: false, method: 'POST', on: 'record', body: 'fields' }

type Kinds = typeof operationKinds
export type EngineOperation = keyof Kinds
type KindsOn<P extends OperationFacts['on']> = {
  [K in EngineOperation]: Kinds[K]['on'] extends P ? K : never
}[EngineOperation]

/**
 * The operations on single records and their collection. The others work on the whole collection at
 * once.
 */
export type CrudKind = KindsOn<'record' | 'collection'>
export type WholeKind = KindsOn<'whole'>
/** The operations whose body is a record. */
export type BodyKind = { [K in EngineOperation]: Kinds[K]['body'] extends 'fields' ? K : never }[EngineOperation]

export const engineOperations = Object.keys(operationKinds) as readonly EngineOperation[]
export const crudKinds: readonly CrudKind[] = engineOperations.filter(
  (kind): kind is CrudKind => operationKinds[kind].on !== 'whole',
)
export const wholeKinds: readonly WholeKind[] = engineOperations.filter(
  (kind): kind is WholeKind => operationKinds[kind].on === 'whole',
)

export function isEngineOperation(name: string): name is EngineOperation {
  return Object.hasOwn(operationKinds, name)
}

export const bodyKinds: readonly BodyKind[] = engineOperations.filter(isBodyKind)

export function isBodyKind(name: string): name is BodyKind {
  return isEngineOperation(name) && operationKinds[name].body === 'fields'
}

/**
 * Whether the body holds records or fields of one: what the operation makes of a record is judged
 * by a rule.
 */
export function writesRecords(name: string): boolean {
  return isEngineOperation(name) && operationKinds[name].body !== 'none'
}

/** `factsOf('export').reads` → true. A name that the engine does not have is an action. */
export function factsOf(operation: string): OperationFacts {
  return isEngineOperation(operation) ? operationKinds[operation] : action
}
