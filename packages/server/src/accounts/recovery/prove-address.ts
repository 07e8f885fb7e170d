/**
 * Write steps for unproven addresses. Where a proof is required (`VERIFY_EMAIL`), new users wait
 * for it, and a user's new address takes effect by it. Elsewhere a note is kept for the first
 * proof.
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
     * An address is unproven unless an operator gave it. A user who may not act yet is sent a mail.
     */
    async created(tx, { caller, languages, row }) {
      const { recovery } = identity()
      if (!recovery || isOperator(catalog, caller)) return
      await recovery.noteUnproven(tx, row)
      if (settings.verifyEmail && !mayAct(mark, row)) await recovery.awaitProof(tx, row, languages)
    },

    /**
     * Takes a new address of the caller's own out of the values, and sends a mail to prove it
     * instead. Where no proof is required, it notes that the address is unproven. Throws `conflict`
     * for one that another user has now; the unique key decides when it is proven.
     */
    async locked(tx, { caller, address: from, languages, values, before }) {
      const { recovery } = identity()
      const address = values[mark.login]
      const isOwn = caller.kind === 'user' && caller.via !== 'console' && caller.userId === before[resource.idField]
      if (!recovery || !isOwn || typeof address !== 'string' || address === before[mark.login]) return
      if (!settings.verifyEmail) return recovery.noteUnproven(tx, before)
      delete values[mark.login]
      const taken = (await tx.find(resource, equal(mark.login, address)))?.row
      if (taken && taken[resource.idField] !== before[resource.idField]) throw conflictOver(resource, [mark.login])
      if (from !== undefined) await recovery.countProposal(tx, { email: address, by: caller.userId })
      await recovery.proposeAddress(tx, before, { address, languages })
    },
  }
}
