/** The list of resources. One that is not named here does not exist. */
import { accounts, defineResources } from 'bindery-server'
import { apiKeys } from './api-keys.ts'
import { auditEvents } from './audit-events.ts'
import { books } from './books.ts'
import { cartItems } from './cart-items.ts'
import { carts } from './carts.ts'
import { factors } from './factors.ts'
import { linkedAccounts } from './linked-accounts.ts'
import { messages } from './messages.ts'
import { oneTimeTokens } from './one-time-tokens.ts'
import { orderItems } from './order-items.ts'
import { orders } from './orders.ts'
import { outgoingMails } from './outgoing-mails.ts'
import { posts } from './posts.ts'
import { products } from './products.ts'
import { recoveryCodes } from './recovery-codes.ts'
import { refreshTokens } from './refresh-tokens.ts'
import { reviews } from './reviews.ts'
import { sessions } from './sessions.ts'
import { users } from './users.ts'

export const resources = defineResources([
  books,
  products,
  reviews,
  ...accounts({ roles: ['USER', 'EDITOR', 'ADMIN'], users }),
  carts,
  cartItems,
  orders,
  orderItems,
  posts,
  messages,
  apiKeys,
  sessions,
  refreshTokens,
  oneTimeTokens,
  outgoingMails,
  factors,
  recoveryCodes,
  auditEvents,
  linkedAccounts,
])
