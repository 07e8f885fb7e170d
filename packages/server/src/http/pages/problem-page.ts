/** The page at which the types of problems point: every code, with its status and what it means. */
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

/** What `GET /errors` answers. */
export function makeProblemPage(): HttpResponse {
  const sections = (Object.keys(errorCodes) as ErrorCode[]).map(sectionOf)
  return answerArticle({ title: 'Errors', sections, path: problemsPath })
}
