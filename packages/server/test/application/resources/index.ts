/** The list of the library's resources. */
import { articles } from './articles.ts'
import { basketLines } from './basket-lines.ts'
import { baskets } from './baskets.ts'
import { editions } from './editions.ts'
import { letters } from './letters.ts'
import { loanLines } from './loan-lines.ts'
import { loans } from './loans.ts'
import { people } from './members.ts'
import { opinions } from './opinions.ts'
import { shelves } from './shelves.ts'

export const resources = [
  shelves,
  editions,
  opinions,
  ...people,
  baskets,
  basketLines,
  loans,
  loanLines,
  articles,
  letters,
]
