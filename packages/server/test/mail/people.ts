/** A users resource with every field and variable that mails need. */
import { oneTimeTokens, outgoingMails, people } from '../service/people.ts'

export const withMails = [...people, oneTimeTokens, outgoingMails] as const
export { members } from '../service/people.ts'
