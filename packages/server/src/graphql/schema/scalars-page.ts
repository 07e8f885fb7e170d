/**
 * The page `GET /graphql/scalars`, which explains this server's own scalars; `@specifiedBy` links
 * to it.
 */

import type { HttpResponse } from '../../http/messages/exchange.ts'
import { type ArticleSection, answerArticle } from '../../http/pages/article.ts'
import { BigIntScalar, CalendarDate, DateTime, Decimal, JsonScalar, LocalTime, Money } from './scalars.ts'

const sections: readonly ArticleSection[] = [
  {
    anchor: Money.name,
    title: Money.name,
    paragraphs: [
      'An amount in the one currency of the deployment, as a JSON number in whole units: 19.99. It has at most two decimals and is at most 10¹² in size. It is exact: inside, it is an integer of cents.',
      'Input: a number, Int or Float. A write refuses one with more than two decimals, with BAD_USER_INPUT; a filter compares it as it is. A string is not an amount.',
    ],
  },
  {
    anchor: BigIntScalar.name,
    title: BigIntScalar.name,
    paragraphs: [
      'A whole number of 64 bits, as a text of digits: "9007199254740993". Programs that read a JSON number as a double would lose digits of it. A sum may have more digits than a field.',
      'Input: such a text, or a number that a double holds exactly. A number with decimals is refused with BAD_USER_INPUT; a filter compares it as it is.',
    ],
  },
  {
    anchor: Decimal.name,
    title: Decimal.name,
    paragraphs: [
      'A number with the decimals that its field declares, as a text: "12.50". It is exact, and so are sums, which may have more digits than a field. A field may be declared to have a number instead of a text.',
      'Input: such a text without an exponent, or a number. A write refuses one with more decimals than the field has, with BAD_USER_INPUT; a filter compares it as it is.',
    ],
  },
  {
    anchor: JsonScalar.name,
    title: JsonScalar.name,
    paragraphs: [
      'Any JSON value, nested at most 32 levels. The members of an object come in the order of their names.',
      'Input: a value of variables, or one written in the document. A write refuses a number that JSON does not hold exactly, with BAD_USER_INPUT.',
    ],
  },
  {
    anchor: DateTime.name,
    title: DateTime.name,
    paragraphs: [
      'A moment, as RFC 3339 has it. Output: in UTC with three digits of milliseconds, 2026-01-31T12:00:00.000Z.',
      'Input: a string with seconds and an offset, or a date alone, which begins at midnight in UTC. A day that does not exist is refused with BAD_USER_INPUT.',
    ],
  },
  {
    anchor: CalendarDate.name,
    title: CalendarDate.name,
    paragraphs: [
      'A day of the calendar, as RFC 3339 has it: 2026-01-31. It has no time zone, and is the same text everywhere. A day that does not exist is refused with BAD_USER_INPUT.',
    ],
  },
  {
    anchor: LocalTime.name,
    title: LocalTime.name,
    paragraphs: [
      'A time of day without a time zone, from 00:00:00 to 23:59:59.999. Output: with seconds, and with milliseconds where they are not zero. Input: the seconds may be left out. One with an offset is refused with BAD_USER_INPUT.',
    ],
  },
]

/** The response of `GET /graphql/scalars`. */
export function makeScalarsPage(): HttpResponse {
  return answerArticle({ title: 'Scalars', sections })
}
