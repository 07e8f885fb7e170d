/** The pages for operators that this caller has in this application. */
import { useOperates, useResources, useWorks } from '../api/declarations.ts'
import { type OperatePage, operatePages } from './operate-pages.ts'

export function useOperatePages(): readonly OperatePage[] {
  const [operates, works] = [useOperates(), useWorks()]
  const { data: resources = [] } = useResources()
  const makes = resources.filter(({ operations }) => operations.includes('create')).map(({ slug }) => slug)
  return operatePages.filter(({ of, ownersOf }) =>
    operates ? of === undefined || works.includes(of) : ownersOf !== undefined && makes.includes(ownersOf),
  )
}
