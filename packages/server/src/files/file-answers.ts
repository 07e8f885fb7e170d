/** The handlers of the routes of files. */
import type { HttpRequest, HttpResponse } from '../http/messages/exchange.ts'
import type { FileAction, FileRoute } from '../rest/file-routes.ts'
import type { FileHandling } from './serving/handed-on.ts'
import { makeLink } from './serving/make-link.ts'
import { readFile } from './serving/serve-bytes.ts'
import { clearFile, putFile } from './serving/take-bytes.ts'

type Handle = (handling: FileHandling, route: FileRoute, request: HttpRequest) => Promise<HttpResponse>

const handlers: Readonly<Record<FileAction, Handle>> = {
  read: readFile,
  readOne: readFile,
  put: putFile,
  add: putFile,
  clear: clearFile,
  remove: clearFile,
  link: makeLink,
  linkOne: makeLink,
}

export function answerFileRoute(
  handling: FileHandling,
  route: FileRoute,
): (request: HttpRequest) => Promise<HttpResponse> {
  const handle = handlers[route.action]
  return (request) => handle(handling, route, request)
}
