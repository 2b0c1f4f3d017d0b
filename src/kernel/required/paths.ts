/** Which checks a change requires, relative to the project folder. */
export const requiredChecksPath = '.premath/required-checks.json'
