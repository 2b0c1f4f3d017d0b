echo good morning
