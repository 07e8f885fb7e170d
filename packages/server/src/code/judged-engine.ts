/**
 * The caller in whose name code asks for records, and the engine for these requests. They are
 * performed as requests of that caller are, or inside an open transaction.
 */
import { ApiError } from '../errors.ts'
import type { Engine } from '../perform/engine.ts'
import { joinTransaction } from '../perform/join-transaction.ts'
import type { Admission } from '../policy/policy.ts'
import type { OperationTarget } from '../policy/rule-of.ts'
import { isTrusted } from '../record/author.ts'
import { refuseGuarded } from '../record/guard/guarded-code.ts'
import type { RecordTransaction } from '../record/record-store.ts'
import type { Resource } from '../resource/catalog.ts'
import type { CallerOrigin } from '../resource/code/acting-caller.ts'
import { anonymous, consolePrincipal, isAtConsole, type Principal } from '../resource/principal.ts'
import { user } from '../resource/rules/any-user.ts'
import type { Author } from '../storage/changes.ts'

/** The principal of a user with the rights of the present; undefined for one who may not act. */
export type FindCaller = (userId: string) => Promise<Principal | undefined>

export type CodeEngine = Engine & { readonly findCaller: FindCaller }

type IdentifyingEngine = Engine & { readonly identity: { readonly findCaller: FindCaller } }

export function codeEngineOf(engine: IdentifyingEngine): CodeEngine {
  return { ...engine, findCaller: engine.identity.findCaller }
}

/** `tx`: the transaction that its requests join. */
export type CodeCaller = {
  readonly engine: CodeEngine
  readonly principal: () => Principal | Promise<Principal>
  readonly tx?: RecordTransaction | undefined
  /** More facts of the author of its writes. */
  readonly facts?: Partial<Author> | undefined
}

/**
 * The rights of an author: those of its request, or those that its user has now. Throws `forbidden`
 * for a user who is gone or may not act.
 */
export async function principalOf(engine: CodeEngine, from: CallerOrigin): Promise<Principal> {
  if (isTrusted(from)) return consolePrincipal(engine.catalog)
  const { caller, userId, tenant } = from
  if (caller) return caller
  if (userId === null) return tenant ? { ...anonymous, tenant } : anonymous
  const found = await engine.findCaller(userId)
  if (!found) throw new ApiError('forbidden', 'The user of this work is gone, or may not act any more')
  return tenant ? { ...found, tenant } : found
}

/** The rights are looked up at each request, so that one which has ended ends in the work too. */
export function codeCallerOf(
  engine: CodeEngine,
  from: CallerOrigin,
  joined: Pick<CodeCaller, 'tx' | 'facts'> = {},
): CodeCaller {
  // Of a request that was, the credential is known, though no session proves it again.
  const facts = { ...joined.facts, ...(!from.caller && { credential: from.credential }) }
  return { ...joined, facts, engine, principal: () => principalOf(engine, from) }
}

/** One admitted operation on a resource. */
export type AdmittedCode = { readonly engine: Engine; readonly admission: Admission; readonly resource: Resource }

function targetOf(resource: Resource, operation: string, principal: Principal): OperationTarget {
  if (isAtConsole(principal)) return { resource, operation, access: user }
  // A list under a parent shows what may be got one by one.
  const isBelow = operation === 'list' && resource.path === undefined && resource.access.get
  const access = isBelow || resource.access[operation]
  if (!access) throw new ApiError('forbidden', `access of ${resource.name} has no ${operation}, so no caller may do it`)
  return { resource, operation, access }
}

/** Throws `unauthenticated` and `forbidden` by the rule, and `not-found` for a tenant. */
export async function admitCode(
  caller: CodeCaller,
  { resource, operation, nested = false }: Pick<OperationTarget, 'resource' | 'operation' | 'nested'>,
): Promise<AdmittedCode> {
  if (!caller.tx) refuseGuarded('reads', 'records')
  const principal = await caller.principal()
  const { policy } = caller.engine
  const target = { ...targetOf(resource, operation, principal), nested }
  const within = policy.tenants?.within(principal, { target }) ?? principal
  return { engine: engineOf(caller), admission: policy.admit(within, target), resource }
}

/** Facts of a write that stay where code writes in the name of another. */
export function keptFacts({ requestId, cause, isQuiet, dry, address, userAgent, languages }: Author): Partial<Author> {
  return { requestId, cause, address, userAgent, languages, ...(isQuiet && { isQuiet }), ...(dry && { dry }) }
}

/**
 * A write that a rule refuses may have begun: the transaction ends with it, also where the code
 * goes on.
 */
function engineOf({ engine, tx, facts }: CodeCaller): Engine {
  if (!tx) {
    const { records } = engine
    if (!facts) return engine
    return {
      ...engine,
      records: { transaction: (author, work) => records.transaction({ ...author, ...facts }, work) },
    }
  }
  const inside = joinTransaction(engine, tx).engine
  return {
    ...inside,
    clock: () => Date.parse(tx.defaults.now),
    records: {
      async transaction(author, work) {
        try {
          return await work(tx.by({ ...author, ...facts, ...keptFacts(tx.author) }))
        } catch (error) {
          tx.refuseAll(error)
          throw error
        }
      },
    },
  }
}
