/**
 * Addresses that nobody has proven. Where they must be (`VERIFY_EMAIL`), new users wait for it, and
 * a new address of one's own takes effect by it; elsewhere it is noted, for the first proof to
 * come.
 */
import type { Step } from '../../record/stages.ts'
import { type LoginMark, mayAct } from '../../resource/accounts/identity-mark.ts'
import type { Catalog, Marked } from '../../resource/catalog.ts'
import { equal } from '../../resource/condition.ts'
import type { Settings } from '../../resource/rule.ts'
import { conflictOver } from '../../storage/storage.ts'
import type { Identity } from '../identity.ts'
import { isOperator } from '../users/count-sign-ups.ts'

type Known = { readonly catalog: Catalog; readonly settings: Settings; readonly identity: () => Identity }

export function proveAddresses({ resource, mark }: Marked<LoginMark>, { catalog, settings, identity }: Known): Step {
  return {
    name: 'proof of addresses',
    resources: [resource],

    /**
     * Nothing is known of an address unless an operator gave it. A user who may not act yet is sent
     * a mail.
     */
    async created(writing, { caller, languages, row }) {
      const { recovery } = identity()
      if (!recovery || isOperator(catalog, caller)) return
      await recovery.noteUnproven(writing, row)
      if (settings.verifyEmail && !mayAct(mark, row)) await recovery.awaitProof(writing, row, languages)
    },

    /**
     * Takes a new address of the caller's own out of the values, and has it proven instead; where
     * that is not asked, notes that it is not. Throws `conflict` for one that another user has now;
     * the unique key decides when it is proven.
     */
    async locked(writing, { caller, languages, values, before }) {
      const { recovery } = identity()
      const address = values[mark.login]
      const isOwn = caller.kind === 'user' && caller.via !== 'console' && caller.userId === before[resource.idField]
      if (!recovery || !isOwn || typeof address !== 'string' || address === before[mark.login]) return
      if (!settings.verifyEmail) return recovery.noteUnproven(writing, before)
      delete values[mark.login]
      const taken = (await writing.find(resource, equal(mark.login, address)))?.row
      if (taken && taken[resource.idField] !== before[resource.idField]) throw conflictOver(resource, [mark.login])
      await recovery.proposeAddress(writing, before, { address, languages })
    },
  }
}
