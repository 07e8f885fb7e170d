/** The list of the library's resources. */
import { accessKeys } from './access-keys.ts'
import { articles } from './articles.ts'
import { basketLines } from './basket-lines.ts'
import { baskets } from './baskets.ts'
import { editions } from './editions.ts'
import { letters } from './letters.ts'
import { loanLines } from './loan-lines.ts'
import { loans } from './loans.ts'
import { members } from './members.ts'
import { opinions } from './opinions.ts'
import { proofs, spareCodes } from './proofs.ts'
import { renewals } from './renewals.ts'
import { shelves } from './shelves.ts'
import { visits } from './visits.ts'

export const resources = [
  shelves,
  editions,
  opinions,
  members,
  baskets,
  basketLines,
  loans,
  loanLines,
  articles,
  letters,
  accessKeys,
  visits,
  renewals,
  proofs,
  spareCodes,
]
