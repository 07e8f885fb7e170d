/** The action `revert` of resources with `history`. `record/declared/revert.ts` does it. */
import { defineAction, doneByEngine } from '../action.ts'
import { integer } from '../fields/numbers/integer.ts'
import type { ActionTraits } from '../traits.ts'
import { historyFields } from './declared-history.ts'

/** Undefined for any other action. */
export function traitsOfRevert(action: { readonly run: unknown }): ActionTraits | undefined {
  return action.run === revert.run ? { isUpdate: true } : undefined
}

export const revert = defineAction({
  summary: 'Write an earlier version again',
  description:
    'It is an update with the values of that version, under the rules of an update. Fields that the caller may not set stay as they are.',
  input: {
    [historyFields.version]: integer({
      required: true,
      min: 1,
      description: 'A version of its `history`.',
      example: 1,
    }),
  },
  run: () => doneByEngine(),
})
