/** Holds the closes that agents asked for. */
export const closesFolder = '.premath/closes'
