/** The pages for operators that this caller has in this application. */
import { useOperates, useWorks } from '../api/declarations.ts'
import { type OperatePage, operatePages } from './operate-pages.ts'

export function useOperatePages(): readonly OperatePage[] {
  const [operates, works] = [useOperates(), useWorks()]
  return operates ? operatePages.filter((page) => page.of === undefined || works.includes(page.of)) : []
}
