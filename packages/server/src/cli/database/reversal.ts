/** Says before a migration step runs whether and how it can be reversed. */

import type { MigrationStep } from '../../storage/migrate/steps.ts'
import { isMadeColumn } from '../../storage/model/model.ts'

/** `none`: only a backup has the removed data. */
export type Reversal = { readonly is: 'whole' | 'partial' | 'none'; readonly how: string }

const declaredAgain: Reversal = { is: 'whole', how: 'declare it as before: nothing is lost' }
const ownWork: Reversal = { is: 'whole', how: 'it holds no data of its own' }

function lossOf(what: string, allow: string): Reversal {
  return { is: 'partial', how: `declare it as before, with --allow-loss ${allow}: what was written into ${what} goes` }
}

const gone: Reversal = {
  is: 'none',
  how: 'a backup from before; what goes is also written to lost-….ndjson in DATA_DIR',
}

function wayBackOfWords(words: Readonly<Record<string, string>>): Reversal {
  const targets = Object.values(words)
  const turned = Object.entries(words).map(([from, to]) => `${to}: '${from}'`)
  if (new Set(targets).size < targets.length) return { is: 'none', how: 'a backup from before: two words become one' }
  return {
    is: 'partial',
    how: `renamedFrom: { ${turned.join(', ')} }, which changes records that had the word already too`,
  }
}

export function reversalOf(step: MigrationStep): Reversal {
  switch (step.kind) {
    case 'create-table':
      return lossOf('the table', step.table.resource ?? step.table.name)
    case 'add-column':
      return isMadeColumn(step.column.name)
        ? ownWork
        : lossOf('the column', `${step.table}.${step.column.means?.field ?? step.column.name}`)
    case 'rename-table':
      return {
        is: 'whole',
        how: `declare the earlier name, with renamedFrom: '${step.table.resource ?? step.table.name}'`,
      }
    case 'rename-column':
      return { is: 'whole', how: `declare the earlier name, with renamedFrom: '${step.to}'` }
    case 'drop-table':
      return gone
    case 'drop-column':
      return step.heir !== undefined || isMadeColumn(step.column) ? ownWork : gone
    case 'swap-column':
      return { is: 'none', how: 'a backup from before: the values are other ones now' }
    case 'fill':
      if (step.fillers.every(({ by }) => by === 'compute')) return ownWork
      return step.fillers.every(({ by }) => by === 'backfill')
        ? { is: 'partial', how: 'the column can go again; which rows had no value is not known then' }
        : { is: 'whole', how: 'the values from before stay until their column goes' }
    case 'recompute':
      return { is: 'whole', how: 'declare the earlier function, which computes the values again' }
    case 'count':
      return { is: 'whole', how: 'declare the earlier field, which is counted again' }
    case 'number':
      return { is: 'partial', how: 'the column can go again; its numbers go with it' }
    case 'place':
      return { is: 'partial', how: 'the column can go again; its order goes with it' }
    case 'link':
      return { is: 'none', how: 'a backup from before: the values are links now' }
    case 'rename-words':
      return wayBackOfWords(step.words)
    case 'mirror-column':
    case 'leave-column':
    case 'return-column':
    case 'leave-table':
    case 'return-table':
    case 'drop-alias':
    case 'allow-null':
    case 'require':
    case 'refer':
      return declaredAgain
    case 'create-key':
    case 'create-index':
    case 'rename-index':
    case 'drop-index':
    case 'create-search':
    case 'drop-search':
    case 'refill':
      return ownWork
  }
}

/** `-- way back: …`, a comment between the lines of SQL. */
export function describeReversal(step: MigrationStep): string {
  const { is, how } = reversalOf(step)
  const begin = { whole: 'way back', partial: 'way back, in part', none: 'no way back but' }
  return `-- ${begin[is]}${is === 'none' ? ' ' : ': '}${how}`
}
