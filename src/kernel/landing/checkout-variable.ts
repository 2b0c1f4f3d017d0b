/** Names the copy for a premath that runs in it, since no git says of what it is a copy. */
export const checkoutVariable = 'PREMATH_CHECKOUT'
