/** The cache of answers in this page. */
import { QueryClient } from '@tanstack/react-query'
import { onAddress, tenantHere } from '../address/router.ts'

export const queries = new QueryClient({
  defaultOptions: { queries: { staleTime: 5_000, retry: false, refetchOnWindowFocus: false, networkMode: 'always' } },
})

let tenant = tenantHere()

// Another tenant has other answers. They are dropped before the page shows its address.
onAddress(() => {
  if (tenantHere() === tenant) return
  tenant = tenantHere()
  queries.clear()
})
