# A repository whose target branch lets scripts override: a hook to run before.
exec sh specs/session.sh '
  git init -q -b main
  mkdir -p .premath
  echo "{\"schema\":1,\"surfaces\":{\"cli\":{\"mode\":\"open\"}},\"override\":\"script\"}" >.premath/policy.json
  git add .premath/policy.json
  git commit -q -m "Let scripts override"'
