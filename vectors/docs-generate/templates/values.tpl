version={{tools.version}} count={{tools.count}} share={{ tools.share }} none=[{{tools.none}}] ready={{tools.isReady}}
owner={{tools.owner}} tags={{tools.owner.tags}}
