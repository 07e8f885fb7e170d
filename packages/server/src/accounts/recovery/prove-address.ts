/**
 * Addresses that nobody has proven. Where they must be (`VERIFY_EMAIL`), new users wait for it, and
 * a new address of one's own takes effect by it; elsewhere it is noted, for the first proof to
 * come.
 */
import type { WriteStep } from '../../record/stages.ts'
import { type LoginMark, mayAct } from '../../resource/accounts/identity-mark.ts'
import type { Catalog, MarkedTable } from '../../resource/catalog.ts'
import { equal } from '../../resource/condition.ts'
import type { ServiceSettings } from '../../resource/rule.ts'
import { conflictOver } from '../../storage/storage.ts'
import type { Identity } from '../identity.ts'
import { isOperator } from '../users/count-sign-ups.ts'

type AddressDeps = { readonly catalog: Catalog; readonly settings: ServiceSettings; readonly identity: () => Identity }

export function proveAddresses(
  { resource, mark }: MarkedTable<LoginMark>,
  { catalog, settings, identity }: AddressDeps,
): WriteStep {
  return {
    name: 'proof of addresses',
    resources: [resource],

    /**
     * Nothing is known of an address unless an operator gave it. A user who may not act yet is sent
     * a mail.
     */
    async created(tx, { caller, languages, row }) {
      const { recovery } = identity()
      if (!recovery || isOperator(catalog, caller)) return
      await recovery.noteUnproven(tx, row)
      if (settings.verifyEmail && !mayAct(mark, row)) await recovery.awaitProof(tx, row, languages)
    },

    /**
     * Takes a new address of the caller's own out of the values, and has it proven instead; where
     * that is not asked, notes that it is not. Throws `conflict` for one that another user has now;
     * the unique key decides when it is proven.
     */
    async locked(tx, { caller, languages, values, before }) {
      const { recovery } = identity()
      const address = values[mark.login]
      const isOwn = caller.kind === 'user' && caller.via !== 'console' && caller.userId === before[resource.idField]
      if (!recovery || !isOwn || typeof address !== 'string' || address === before[mark.login]) return
      if (!settings.verifyEmail) return recovery.noteUnproven(tx, before)
      delete values[mark.login]
      const taken = (await tx.find(resource, equal(mark.login, address)))?.row
      if (taken && taken[resource.idField] !== before[resource.idField]) throw conflictOver(resource, [mark.login])
      await recovery.proposeAddress(tx, before, { address, languages })
    },
  }
}
