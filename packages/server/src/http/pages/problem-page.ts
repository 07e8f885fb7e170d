/**
 * `GET /errors`: the page to which the types of problems link. It lists every code with its status
 * and meaning.
 */
import { type ErrorCode, errorCodes, factsOfError } from '../../errors.ts'
import type { HttpResponse } from '../messages/exchange.ts'
import { problemsPath } from '../messages/problem.ts'
import { type ArticleSection, answerArticle } from './article.ts'

function sectionOf(code: ErrorCode): ArticleSection {
  const { status, title, graphql, about } = factsOfError(code)
  return {
    anchor: code,
    title: `${status} ${title}`,
    paragraphs: [about, `Code \`${code}\`, in GraphQL \`${graphql}\`.`],
  }
}

/** The response of `GET /errors`. */
export function makeProblemPage(): HttpResponse {
  const sections = (Object.keys(errorCodes) as ErrorCode[]).map(sectionOf)
  return answerArticle({ title: 'Errors', sections, path: problemsPath })
}
