# Lands the work on the branch of bd-1, in the repository of the case: a hook to run before.
sh specs/waiting-work.sh && exec sh specs/premath.sh land bd-1 --verify-cmd true
