/** The part of the language that is written in itself: procedures that call others. */
export const prelude = `
(define (check-list name value)
  (if (list? value) value
      (error (string-append name " needs a list and got") value)))

(define (check-procedure name value)
  (if (procedure? value) value
      (error (string-append name " needs a procedure and got") value)))

(define (map1 f list)
  (let loop ((rest list) (done '()))
    (if (null? rest) (reverse done)
        (loop (cdr rest) (cons (f (car rest)) done)))))

(define (any-null? lists)
  (and (pair? lists) (or (null? (car lists)) (any-null? (cdr lists)))))

(define (map-all f lists)
  (let loop ((rest lists) (done '()))
    (if (any-null? rest) (reverse done)
        (loop (map1 cdr rest) (cons (apply f (map1 car rest)) done)))))

(define (map f list . more)
  (check-procedure "map" f)
  (check-list "map" list)
  (if (null? more) (map1 f list)
      (map-all f (cons list (map1 (lambda (each) (check-list "map" each)) more)))))

(define (for-each f list . more)
  (check-procedure "for-each" f)
  (check-list "for-each" list)
  (if (null? more)
      (let loop ((rest list))
        (if (null? rest) (void)
            (begin (f (car rest)) (loop (cdr rest)))))
      (begin (map-all f (cons list more)) (void))))

(define (append-map f list) (apply append (map f list)))

(define (filter keep? list)
  (check-procedure "filter" keep?)
  (let loop ((rest (check-list "filter" list)) (done '()))
    (cond ((null? rest) (reverse done))
          ((keep? (car rest)) (loop (cdr rest) (cons (car rest) done)))
          (else (loop (cdr rest) done)))))

(define (remove drop? list) (filter (lambda (item) (not (drop? item))) list))

(define (delete item list) (filter (lambda (other) (not (equal? item other))) list))

(define (fold f first list)
  (let loop ((rest (check-list "fold" list)) (result first))
    (if (null? rest) result
        (loop (cdr rest) (f (car rest) result)))))

(define (fold-left f first list)
  (let loop ((rest (check-list "fold-left" list)) (result first))
    (if (null? rest) result
        (loop (cdr rest) (f result (car rest))))))

(define (fold-right f last list)
  (let loop ((rest (reverse (check-list "fold-right" list))) (result last))
    (if (null? rest) result
        (loop (cdr rest) (f (car rest) result)))))

(define (reduce f empty list)
  (if (null? (check-list "reduce" list)) empty
      (fold f (car list) (cdr list))))

(define (find found? list)
  (let loop ((rest (check-list "find" list)))
    (cond ((null? rest) #f)
          ((found? (car rest)) (car rest))
          (else (loop (cdr rest))))))

(define (any holds? list)
  (let loop ((rest (check-list "any" list)))
    (and (pair? rest) (or (holds? (car rest)) (loop (cdr rest))))))

(define (every holds? list)
  (let loop ((rest (check-list "every" list)) (last #t))
    (if (null? rest) last
        (let ((result (holds? (car rest))))
          (and result (loop (cdr rest) result))))))

(define (merge left right less?)
  (let loop ((left left) (right right) (done '()))
    (cond ((null? left) (append (reverse done) right))
          ((null? right) (append (reverse done) left))
          ((less? (car right) (car left)) (loop left (cdr right) (cons (car right) done)))
          (else (loop (cdr left) right (cons (car left) done))))))

(define (sort list less?)
  (check-procedure "sort" less?)
  (let divide ((list (check-list "sort" list)) (size (length list)))
    (if (< size 2) list
        (let ((half (quotient size 2)))
          (merge (divide (list-head list half) half)
                 (divide (list-tail list half) (- size half))
                 less?)))))

(define (delete-duplicates list)
  (let loop ((rest (check-list "delete-duplicates" list)) (done '()))
    (cond ((null? rest) (reverse done))
          ((member (car rest) done) (loop (cdr rest) done))
          (else (loop (cdr rest) (cons (car rest) done))))))

(define (vector-map f vector) (list->vector (map f (vector->list vector))))

(define (hash-update hash key f first)
  (hash-set hash key (f (hash-ref hash key first))))

(define (hash-map f hash)
  (list->hash (map (lambda (entry) (cons (car entry) (f (car entry) (cdr entry)))) (hash->list hash))))
`
