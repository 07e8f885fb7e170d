/** Whether an application has code inside of transactions: hooks, actions, `transaction(…)`. */
import { hasAccountHooks } from '../../accounts/code/run-account-hooks.ts'
import { hasGuardedCode } from '../../record/declared/hook-steps.ts'
import type { EngineActions } from '../../record/requested-write.ts'
import type { Catalog } from '../../resource/catalog.ts'
import { hasOutsideCode } from '../../resource/effects/work-kinds.ts'

export function hasGuardedApplication(catalog: Catalog, own: EngineActions): boolean {
  return hasGuardedCode(catalog, own) || hasAccountHooks(catalog.login) || hasOutsideCode(catalog)
}
