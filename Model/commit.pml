/*
 * The commit protocol of the PostgreSQL ledger. Docs/commit-protocol.md explains it, what this model bounds and what it leaves out.
 *
 * Servers decide over rows that they have locked, in two round trips. Connections break, answers are lost, transactions whose
 * server has given up go on, waits for the standby are cancelled, the primary crashes and restarts, and the standby is promoted
 * while the old primary may still run. Model/check lists the variants (-D...) and what is expected of each.
 */

#ifndef SERVERS
#define SERVERS 3           /* Processes that accept evidence. */
#endif
#ifndef REQUESTS
#define REQUESTS 1          /* Batches that each server is asked for. */
#endif
#ifndef BREAKS
#define BREAKS 2            /* Connections that break, in all. */
#endif
#ifndef CANCELS
#define CANCELS 1           /* Waits for the standby that are cancelled. */
#endif
#ifndef CRASHES
#define CRASHES 1           /* Crashes of the old primary. */
#endif
#ifndef STANDBYS
#define STANDBYS 1          /* 0: there is no standby, and no promotion. */
#endif
#ifndef REACH
#define REACH 0             /* The event that must be reachable; 0: none. */
#endif
#ifndef DELETES
#define DELETES 0           /* Writer rows that are deleted. */
#endif
#ifndef RERUNS
#define RERUNS 1            /* How often a server runs a batch again that is known not to be applied. */
#endif

/* What a session of the database does. */
#define NONE 0              /* There is no session. */
#define IDLE 1              /* No transaction. */
#define READS 2             /* First round trip: locks rows. */
#define STORES 3            /* Second round trip: the statements are under way. */
#define WAITS 4             /* The commit record is written; waits for the standby. */
#define WARNED 5            /* The wait was cancelled: answered with success and a WARNING. */
#define CLOSED 6            /* The database closed the connection. */

/* A session: that of a server's connection, and one that the server gave up, while its transaction goes on. */
typedef Session {
    byte state;
    byte on;                /* Its machine. */
    byte epoch;             /* That of the connection. */
    byte batch;             /* The number to store, or the one that it found. */
    byte set[2];            /* The counters to store, by key; 0 for none. */
    bool denied;            /* The server of this late transaction has learned that it is not applied. */
    byte behind             /* Commit records, up to its own, that the standby does not have. */
}
#define SESSIONS (2 * SERVERS)
Session session[SESSIONS];
#define current(server) (2 * (server))
#define late(server) (2 * (server) + 1)

/* A machine with the database: 0 is the primary at first, 1 the standby. A lock is 0 or its holder + 1. */
typedef Machine {
    bool takesWrites;
    byte counter[2];        /* The key rows. */
    byte batch[SERVERS];    /* The writer rows. */
    byte epoch[SERVERS];
    byte keyLock[2];
#if DELETES > 0
    bool gone[SERVERS];     /* There is no writer row. */
    byte by[2];             /* The server that stored a counter, + 1. */
#endif
    byte writerLock[SERVERS]
}
Machine machine[2];
bool promoted;

/* The batch of a new writer row: how the batches up to then ended is unknown. DELETED is that of the commit record of a deletion. */
#ifdef NEW_ROW_IS_ZERO
#define newRow(n) 0
#else
#define newRow(n) (100 + (n))
#endif
#define DELETED 255

#ifdef MOVES
/* A migration has marked the ledger, and has then copied these counters. */
bool marked, copied;
byte copy[2];
#endif

/* Commit records that the standby does not have: the writer, its row, and the counters that changed. */
chan wal = [6] of { byte, byte, byte, byte, byte };

/* What clients want: the counter of each key, 0 for none. */
typedef Batch { byte counter[2] }
Batch wanted[SERVERS * REQUESTS];

byte breaks, cancels, crashes, deletes;

/* Servers with the same batch take their first steps in the order of their numbers: any other run has the same states under other
 * numbers. */
bool begun[SERVERS];

/* What must hold. Each is set where it is violated, and asserted there. */
bool acceptedTwice, acknowledgedIsLost, ownCommitRefused, appliedAfterDenial, waitsInACircle, acceptedAfterMove;
bool accepted[4];           /* By key and counter. */
#define require(name, condition) if :: (condition) :: else -> name = true; assert(!name) fi
bool reached;
#define reach(number) if :: REACH == number -> reached = true; assert(!reached) :: else fi

#define greatestAccepted(k) (accepted[2 * (k) + 1] -> 2 : (accepted[2 * (k)] -> 1 : 0))
#define hasAll(m) (machine[m].counter[0] >= greatestAccepted(0) && machine[m].counter[1] >= greatestAccepted(1))
#define survivor (promoted -> 1 : 0)

/* Batches: counter 1 of the first key, that and the second key, counter 2 and the second key; a digest alone. */
#ifdef DIGEST
#define KINDS 4
#else
#define KINDS 3
#endif

#ifdef SHARED_WRITER
#define writerOf(server) ((server) == 1 -> 0 : (server))
#define isAlike false
#else
#define writerOf(server) (server)
#define isAlike true
#endif
#if defined(SHARED_WRITER) || defined(LOCKS_IN_ANY_ORDER)
#define isInTurn(w) true
#else
#define wantsTheSame(v, w) (wanted[v].counter[0] == wanted[w].counter[0] && wanted[v].counter[1] == wanted[w].counter[1])
#define isInTurn(w) (REQUESTS > 1 || w == 0 || begun[w - 1] || !wantsTheSame(w, w - 1))
#endif
#define writer(s) writerOf((s) / 2)
#define home(s) machine[session[s].on]
#define row(s, table) home(s).table[writer(s)]

#ifdef LOCKS_IN_ANY_ORDER
#define firstKey(s) (((s) / 2) % 2)
#else
#define firstKey(s) 0
#endif
#if DELETES > 0
#define isGone(s) row(s, gone)
#else
#define isGone(s) false
#endif
#ifdef NO_EPOCH
#define isOwn(s) (!isGone(s))
#else
#define isOwn(s) (!isGone(s) && row(s, epoch) == session[s].epoch)
#endif
#define secondKey(s) (1 - firstKey(s))
#ifdef DIGEST
#define LOCKS(k) ((k) == 0)         /* The second key is a digest: read without a lock, and inserted. */
#elif defined(NO_ROW_LOCKS)
#define LOCKS(k) false
#else
#define LOCKS(k) true
#endif
#define needsLock(s, k) (LOCKS(k) && session[s].set[k] > 0)
#define isFree(s, k) (home(s).keyLock[k] == 0)
#define canLock(s, k) (!needsLock(s, k) || isFree(s, k))
#ifdef DIGEST
#define canStore(s) (session[s].set[1] == 0 || home(s).keyLock[1] == 0)
#define isDuplicate(s) (session[s].set[1] > 0 && home(s).counter[1] > 0)
#else
#define canStore(s) true
#define isDuplicate(s) false
#endif

inline lockKey(s, k) { if :: needsLock(s, k) -> home(s).keyLock[k] = s + 1 :: else fi }

inline unlock(s) {
    d_step {
        if :: row(s, writerLock) == s + 1 -> row(s, writerLock) = 0 :: else fi;
        if :: home(s).keyLock[0] == s + 1 -> home(s).keyLock[0] = 0 :: else fi;
        if :: home(s).keyLock[1] == s + 1 -> home(s).keyLock[1] = 0 :: else fi;
        session[s].set[0] = 0; session[s].set[1] = 0; session[s].behind = 0
    }
}

/* Sessions that have ended are all in one state. */
inline clear(s, next) {
    d_step {
        session[s].state = next; session[s].on = 0; session[s].epoch = 0; session[s].batch = 0; session[s].denied = false;
        session[s].set[0] = 0; session[s].set[1] = 0; session[s].behind = 0
    }
}

/* Writes the commit record. The locks stay until the standby has it. */
inline log(s) {
    if
    :: session[s].on == 0 && STANDBYS > 0 && !promoted ->
        wal!writer(s), row(s, epoch), row(s, batch), session[s].set[0], session[s].set[1];
        session[s].behind = len(wal)
    :: session[s].on == 0 && promoted -> session[s].behind = 1      /* A standby that no longer listens. */
    :: else
    fi;
#if defined(ASYNCHRONOUS) || defined(NO_FSYNC)
    session[s].behind = 0;
#endif
    session[s].set[0] = 0; session[s].set[1] = 0;
    session[s].state = WAITS
}

/* The statements of the second round trip, which is not refused. */
inline store(s) {
    d_step {
#ifdef DIGEST
        if :: session[s].set[1] > 0 -> home(s).keyLock[1] = s + 1 :: else fi;
#endif
        require(appliedAfterDenial, !session[s].denied);
        printf("server %d stores batch %d on machine %d: counters %d, %d\n", s / 2, session[s].batch, session[s].on, session[s].set[0],
            session[s].set[1]);
        row(s, batch) = session[s].batch;
        for (k : 0 .. 1) {
            /* UPDATE ... WHERE counter < new */
            if
            :: session[s].set[k] > home(s).counter[k] ->
#if DELETES > 0
                home(s).by[k] = s / 2 + 1;
#endif
                home(s).counter[k] = session[s].set[k]
            :: else
            fi
        }
        k = 0;
        session[s].batch = 0
    };
    log(s)
}

/* A transaction that its server has given up. */
proctype Late(byte s) {
    byte k;
    do
    :: atomic { session[s].state == STORES && canStore(s) && !isDuplicate(s) ->
        if :: session[s].on == 0 && promoted -> reach(5) :: else fi;
        store(s) }
    :: atomic { session[s].state == STORES -> unlock(s); clear(s, NONE) }       /* The statements did not arrive. */
    :: atomic { session[s].state == WAITS && session[s].behind == 0 -> unlock(s); clear(s, NONE) }
    :: atomic { session[s].state == WARNED || session[s].state == CLOSED -> clear(s, NONE) }
    od
}

/* Answers the client. */
inline accept() {
    d_step {
        printf("server %d accepts counters %d, %d\n", w, passes[0], passes[1]);
        for (k : 0 .. 1) {
            if
            :: passes[k] > 0 ->
                require(acceptedTwice, !accepted[2 * k + passes[k] - 1]);
#ifdef MOVES
                require(acceptedAfterMove, !copied || passes[k] <= copy[k]);
#endif
                accepted[2 * k + passes[k] - 1] = true
            :: else
            fi
        }
        k = 0;
        require(acknowledgedIsLost, hasAll(survivor))
    }
}

/* Decides over the rows that were read, and begins the second round trip. Without an effect the transaction is rolled back. */
inline decide() {
    d_step {
        for (k : 0 .. 1) {
            passes[k] = session[c].set[k];
            if
            :: passes[k] > 0 && passes[k] <= home(c).counter[k] ->
                reach(7);
                printf("server %d refuses counter %d of key %d\n", w, passes[k], k);
#if DELETES > 0
                require(ownCommitRefused, home(c).by[k] != w + 1);
#elif !defined(SHARED_WRITER)
                require(ownCommitRefused, row(c, batch) < first);
#endif
                passes[k] = 0
            :: else
            fi
        }
        k = 0
    };
    if
    :: passes[0] == 0 && passes[1] == 0 -> unlock(c); session[c].state = IDLE
    :: else -> session[c].set[0] = passes[0]; session[c].set[1] = passes[1]; session[c].state = STORES
    fi
}

/* The connection breaks. What has not begun to store can only be rolled back; the rest goes on. */
inline leave() {
    printf("server %d loses its connection\n", w);
    if
    :: session[c].state == STORES || session[c].state == WAITS ->
        session[late(w)].state = session[c].state; session[late(w)].on = session[c].on;
        session[late(w)].batch = session[c].batch;
        session[late(w)].set[0] = session[c].set[0]; session[late(w)].set[1] = session[c].set[1];
        session[late(w)].behind = session[c].behind;
        if :: row(c, writerLock) == c + 1 -> row(c, writerLock) = late(w) + 1 :: else fi;
        if :: home(c).keyLock[0] == c + 1 -> home(c).keyLock[0] = late(w) + 1 :: else fi;
        if :: home(c).keyLock[1] == c + 1 -> home(c).keyLock[1] = late(w) + 1 :: else fi
    :: else -> unlock(c)
    fi;
    clear(c, NONE)
}
#define mayBreak (breaks < BREAKS && session[late(w)].state == NONE)

/* The server knows now that its last batch is not applied on this machine. */
inline deny() {
    printf("server %d takes batch %d for not applied\n", w, batch);
    reach(2);
    if
    :: session[late(w)].state == STORES && session[late(w)].on == session[c].on -> session[late(w)].denied = true
    :: else
    fi
}

/* Raises the epoch in the writer row, and reads the batch. Waits for a transaction that has the row. */
inline askWriterRow(m) {
    session[c].on = m;
#if DELETES > 0
    inserts = isGone(c);
    if
    :: inserts -> row(c, gone) = false; row(c, epoch) = 0; row(c, batch) = newRow(batch)
    :: else
    fi;
#endif
    printf("server %d asks its writer row on machine %d: batch %d\n", w, m, row(c, batch));
#ifdef EPOCH_COMPARED
    if :: row(c, epoch) != epoch && isUncertain -> clear(c, NONE); reach(4); goto end :: else fi;
#endif
#ifndef NO_EPOCH
    row(c, epoch)++;
#endif
    row(c, writerLock) = c + 1;
    session[c].epoch = row(c, epoch);
    session[c].batch = row(c, batch);
#if defined(MOVES) && !defined(MARK_READ_FIRST)
    if :: marked -> sawMark = true :: else fi;
#endif
    log(c)
}

#if defined(NO_WRITER_ROW) || defined(TAKES_STORED_FOR_OWN) || defined(ASK_WITHOUT_LOCK)
#define isVisible(s) (row(s, writerLock) == 0 || session[row(s, writerLock) - 1].state != WAITS)
#ifdef ASK_WITHOUT_LOCK
#define canAsk(m) machine[m].takesWrites
#else
#define canAsk(m) (machine[m].takesWrites && (passes[0] == 0 || machine[m].keyLock[0] == 0) \
    && (passes[1] == 0 || machine[m].keyLock[1] == 0))
#endif
#else
#define USES_WRITER_ROW
#define canAsk(m) (machine[m].takesWrites && machine[m].writerLock[writer(c)] == 0)
#endif
#ifdef MOVES
#define mustEnd sawMark
#else
#define mustEnd false
#endif
#if DELETES > 0
#define isInserting inserts
#define isUnknown (isUncertain && found == newRow(batch) && newRow(batch) > 0)
#else
#define isInserting false
#define isUnknown false
#endif
/* The first key of a session's batch waits for the second, whose holder waits for the first. */
#ifdef LOCKS_AT_ONCE
/* Both keys in one step. With locks in one order this leaves out no result: the first key could as well be locked later, just before
 * the second; of a connection that breaks between the two, the statements of the second round trip did not arrive. */
#define canBegin (wanted[w * REQUESTS + request].counter[secondKey(c)] == 0 || !LOCKS(secondKey(c)) || isFree(c, secondKey(c)))
#else
#define canBegin true
#endif
#define holderOf(s, k) (home(s).keyLock[k] - 1)
#define waitsFor(h, s) (session[h].state == READS && needsLock(h, secondKey(h)) && home(h).keyLock[secondKey(h)] == s + 1)
#define isInCircle(s) (!canLock(s, secondKey(s)) && waitsFor(holderOf(s, secondKey(s)), s))

proctype Server(byte w) {
    byte c = current(w);
    byte batch, first;      /* The number of the last batch, and of the first attempt at this request. */
    byte passes[2];         /* The counters that the last attempt accepts. */
    byte epoch, request, reruns, found, k;
    bool isUncertain;       /* The last attempt may have been applied. */
    bool warned;
#if DELETES > 0
    bool inserts;           /* The writer row is inserted, and asked in the next transaction. */
#endif
#ifdef MOVES
    bool sawMark;
#endif

    /* The first round trip, up to the first key. */
begin:
    atomic {
        if
        :: session[c].state == IDLE && isInTurn(w) && row(c, writerLock) == 0 && isOwn(c) &&
                (wanted[w * REQUESTS + request].counter[firstKey(c)] == 0 || !LOCKS(firstKey(c)) || isFree(c, firstKey(c))) && canBegin ->
            batch++; begun[w] = true;
            if :: first == 0 -> first = batch :: else fi;
            session[c].batch = batch;
            session[c].set[0] = wanted[w * REQUESTS + request].counter[0];
            session[c].set[1] = wanted[w * REQUESTS + request].counter[1];
            session[c].state = READS;
#if !defined(NO_WRITER_ROW) && !defined(TAKES_STORED_FOR_OWN)
            row(c, writerLock) = c + 1;
#endif
            lockKey(c, firstKey(c));
#ifdef LOCKS_AT_ONCE
            lockKey(c, secondKey(c)); decide();
            if :: session[c].state == IDLE -> goto next :: else fi
#endif
        :: session[c].state == IDLE && row(c, writerLock) == 0 && !isOwn(c) ->
            reach(4); clear(c, NONE);
#if DELETES > 0 || defined(MOVES)
            goto ask
#else
            goto end                                /* Another process has taken over. */
#endif
        :: session[c].state == CLOSED && isInTurn(w) -> begun[w] = true; clear(c, NONE); goto ask
        fi
    }
#ifndef LOCKS_AT_ONCE
    atomic {
        if
        :: session[c].state == READS && canLock(c, secondKey(c)) -> lockKey(c, secondKey(c)); decide();
            if :: session[c].state == IDLE -> goto next :: else fi
        :: session[c].state == READS && isInCircle(c) ->
            require(waitsInACircle, false)
        :: session[c].state == CLOSED -> clear(c, NONE); goto ask
        :: mayBreak -> breaks++; leave(); goto ask
        fi
    }
#endif
    /* The second round trip. */
    atomic {
        if
        :: session[c].state == STORES && canStore(c) && !isDuplicate(c) -> store(c)
        :: session[c].state == STORES && canStore(c) && isDuplicate(c) ->
            reach(6); unlock(c); session[c].state = IDLE; goto again
        :: session[c].state == CLOSED -> clear(c, NONE); isUncertain = true; goto ask
        :: mayBreak -> breaks++; leave(); isUncertain = true; goto ask
        fi
    }
    atomic {
        if
        :: session[c].state == WAITS && session[c].behind == 0 -> unlock(c); session[c].state = IDLE; accept(); goto next
#ifdef WARNING_IS_SUCCESS
        :: session[c].state == WARNED -> session[c].state = IDLE; accept(); goto next
#else
        :: session[c].state == WARNED -> clear(c, NONE); isUncertain = true; warned = (REACH == 3); goto ask
#endif
        :: session[c].state == CLOSED -> clear(c, NONE); isUncertain = true; goto ask
        :: mayBreak -> breaks++; leave(); isUncertain = true; goto ask
        fi
    }
    /* A new connection; after a promotion it may still lead to the old primary. */
ask:
#if defined(MOVES) && defined(MARK_READ_FIRST)
    atomic { if :: marked -> sawMark = true :: else fi }
#endif
#ifdef USES_WRITER_ROW
    atomic {
        if
        :: canAsk(0) -> askWriterRow(0)
        :: canAsk(1) -> askWriterRow(1)
        fi
    }
    atomic {
        if
#if DELETES > 0
        :: inserts && session[c].state == WAITS && session[c].behind == 0 ->
            inserts = false; unlock(c); clear(c, NONE); goto ask
#endif
        :: !isInserting && session[c].state == WAITS && session[c].behind == 0 -> found = session[c].batch; unlock(c); session[c].state = IDLE
#ifdef ASK_NOT_WAITED_FOR
        :: session[c].state == WAITS && session[late(w)].state == NONE -> found = session[c].batch; leave(); session[c].state = CLOSED
#endif
#ifdef ASK_WARNING_IS_SUCCESS
        :: session[c].state == WARNED -> found = session[c].batch; session[c].state = IDLE
#else
        :: session[c].state == WARNED -> clear(c, NONE); goto ask
#endif
        :: session[c].state == CLOSED -> clear(c, NONE); goto ask
        :: mayBreak -> breaks++; leave(); goto ask
        fi;
#ifdef EPOCH_COMPARED
        epoch = session[c].epoch;
#ifndef OWN_NUMBERS
        if :: !isUncertain && found > batch -> batch = found :: else fi;    /* The row's numbers go on. */
#endif
#endif
        if
#ifdef MOVES
        :: sawMark -> found = 0; unlock(c); clear(c, NONE); goto end     /* The ledger has moved: the outage read-only, or undetermined. */
#endif
        :: !mustEnd && isUnknown -> reach(9); found = 0; goto next       /* The outage undetermined. */
        :: !mustEnd && !isUnknown && isUncertain && found == batch ->
            reach(1);
            if :: warned -> reach(3) :: else fi;
            if :: session[c].on == 1 -> reach(8) :: else fi;
            found = 0; accept(); goto next
        :: !mustEnd && !isUnknown && isUncertain && found != batch -> deny(); found = 0; goto again
        :: !mustEnd && !isUncertain -> found = 0; goto again
        fi
    }
#else
    atomic {
        if
        :: canAsk(0) -> session[c].on = 0
        :: canAsk(1) -> session[c].on = 1
        fi;
        session[c].state = IDLE;
        session[c].epoch = row(c, epoch);
        if
#ifdef TAKES_STORED_FOR_OWN
        :: isUncertain && home(c).counter[0] >= passes[0] && home(c).counter[1] >= passes[1] -> accept(); goto next
#endif
#ifdef ASK_WITHOUT_LOCK
        :: isUncertain && isVisible(c) && row(c, batch) == batch -> accept(); goto next
        :: isUncertain && !(isVisible(c) && row(c, batch) == batch) ->
            deny(); goto again
#endif
        :: else -> goto again
        fi
    }
#endif
again:
    atomic {
        isUncertain = false; warned = false; passes[0] = 0; passes[1] = 0;
        if
        :: reruns < RERUNS -> reruns++; goto begin
        :: else     /* Answers an outage: not applied. */
        fi
    }
next:
    atomic {
        isUncertain = false; warned = false; passes[0] = 0; passes[1] = 0; first = 0; reruns = 0;
        request++;
        if
        :: request < REQUESTS -> goto begin
        :: else -> unlock(c); clear(c, NONE)
        fi
    }
end:
    atomic {
        if
        :: isAlike ->       /* Its rows are not read any more. */
            machine[0].batch[w] = 0; machine[0].epoch[w] = 0; machine[1].batch[w] = 0; machine[1].epoch[w] = 0
        :: else
        fi;
        batch = 0; first = 0; passes[0] = 0; passes[1] = 0; epoch = 0; request = 0; reruns = 0; isUncertain = false; warned = false;
#if DELETES > 0
        inserts = false;
#endif
        begun[w] = true
    }
}

/* The standby stores commit records in their order, while the primary runs. */
proctype Replication() {
    byte w, e, n, c0, c1;
    do
    :: atomic { !promoted && nempty(wal) ->
        wal?w, e, n, c0, c1;
        d_step {
            printf("the standby stores a commit record of writer %d\n", w);
#if DELETES > 0
            machine[1].gone[w] = (n == DELETED);
            if :: n == DELETED -> n = 0 :: else fi;
            if :: c0 > machine[1].counter[0] -> machine[1].by[0] = w + 1 :: else fi;
            if :: c1 > machine[1].counter[1] -> machine[1].by[1] = w + 1 :: else fi;
#endif
            machine[1].epoch[w] = e; machine[1].batch[w] = n;
            if :: c0 > machine[1].counter[0] -> machine[1].counter[0] = c0 :: else fi;
            if :: c1 > machine[1].counter[1] -> machine[1].counter[1] = c1 :: else fi;
            for (w : 0 .. SESSIONS - 1) {
                if :: session[w].behind > 0 -> session[w].behind-- :: else fi
            } w = 0; e = 0; n = 0; c0 = 0; c1 = 0
        } }
    od
}

inline forgetStream() {
    do :: len(wal) > 0 -> wal?_, _, _, _, _ :: len(wal) == 0 -> break od
}

/* What the standby does not have by now stays on the old primary. */
inline promote() {
    printf("the standby is promoted; it lacks %d commit records\n", len(wal));
    promoted = true;
    machine[1].takesWrites = true;
    forgetStream();
    for (i : 0 .. SESSIONS - 1) {
        if :: session[i].behind > 0 -> session[i].behind = 1 :: else fi
    }
    i = 0;
    require(acknowledgedIsLost, hasAll(1))
}

inline forget(m) {
    for (i : 0 .. SERVERS - 1) { machine[m].epoch[i] = 0; machine[m].batch[i] = 0 }
    machine[m].counter[0] = 0; machine[m].counter[1] = 0;
#if DELETES > 0
    machine[m].by[0] = 0; machine[m].by[1] = 0;
    for (i : 0 .. SERVERS - 1) { machine[m].gone[i] = false }
#endif
    i = 0
}

/* Without fsync: the disk has what a standby would have. */
inline loseWrites() {
    forgetStream();
    for (i : 0 .. SERVERS - 1) { machine[0].epoch[i] = machine[1].epoch[i]; machine[0].batch[i] = machine[1].batch[i] }
    machine[0].counter[0] = machine[1].counter[0]; machine[0].counter[1] = machine[1].counter[1];
    i = 0
}

#define mayCancel(s) (cancels < CANCELS && session[s].state == WAITS && session[s].behind > 0)

inline cancel(s) {
    unlock(s); session[s].state = WARNED; cancels++;
    printf("a wait of server %d for the standby is cancelled\n", s / 2)
}

inline deleteRow(m, v) {
    d_step {
        deletes++;
        printf("the writer row of server %d is deleted on machine %d\n", v, m);
        machine[m].gone[v] = true; machine[m].epoch[v] = 0; machine[m].batch[v] = 0;
        if :: m == 0 && STANDBYS > 0 && !promoted -> wal!v, 0, DELETED, 0, 0 :: else fi
    }
}
#define mayDelete(m, v) (deletes < DELETES && machine[m].takesWrites && !machine[m].gone[v] && machine[m].writerLock[v] == 0)

proctype Faults() {
    byte i;
    do
#if DELETES > 0
    /* Any writer row that no transaction has locked, at any time: the ledger deletes those of a week ago. */
    :: atomic { mayDelete(0, 0) -> deleteRow(0, 0) }
    :: atomic { mayDelete(0, 1) -> deleteRow(0, 1) }
    :: atomic { mayDelete(1, 0) -> deleteRow(1, 0) }
    :: atomic { mayDelete(1, 1) -> deleteRow(1, 1) }
#endif
    /* Somebody cancels a wait for the standby. The commit is visible then. */
    :: atomic { mayCancel(0) -> cancel(0) }
    :: atomic { mayCancel(1) -> cancel(1) }
    :: atomic { mayCancel(2) -> cancel(2) }
    :: atomic { mayCancel(3) -> cancel(3) }
#if SERVERS > 2
    :: atomic { mayCancel(4) -> cancel(4) }
    :: atomic { mayCancel(5) -> cancel(5) }
#endif
#if STANDBYS > 0 && !defined(NO_FSYNC)
    /* The standby is promoted while the old primary runs on. */
    :: atomic { !promoted -> promote() }
#endif
    /* The primary crashes. It restarts with all that it had written a commit record of, or the standby takes its place. */
    :: atomic { crashes < CRASHES && !promoted ->
        crashes++;
        printf("the primary crashes\n");
        for (i : 0 .. SESSIONS - 1) {
            if
            :: session[i].state != NONE ->
                unlock(i);
                if :: i % 2 == 0 -> clear(i, CLOSED) :: else -> clear(i, NONE) fi
            :: else
            fi
        }
        i = 0;
        if
#ifdef NO_FSYNC
        :: loseWrites()
#else
        :: true
#if STANDBYS > 0
        :: promote();
            machine[0].takesWrites = false;
            forget(0)
#endif
#endif
        fi;
        require(acknowledgedIsLost, hasAll(survivor)) }
    od
}

#ifdef MOVES
#define MOVER (SESSIONS + 1)
/* Marks the ledger as moved, raises the epochs of all writers, and copies. */
proctype Mover() {
    byte i;
    atomic { marked = true; printf("the ledger is marked as moved\n") }
#ifndef NO_FENCE
    do
    :: atomic { i < SERVERS && machine[0].writerLock[i] == 0 -> machine[0].writerLock[i] = MOVER; machine[0].epoch[i]++; i++ }
    :: i == SERVERS -> break
    od;
    atomic { for (i : 0 .. SERVERS - 1) { machine[0].writerLock[i] = 0 } }
#endif
    atomic { copied = true; copy[0] = machine[0].counter[0]; copy[1] = machine[0].counter[1]; printf("the ledger is copied\n") }
}
#endif

init {
    byte i, kind, least;
    atomic {
        machine[0].takesWrites = true;
        /* Servers are alike: only the combination of batches counts, not who has which. */
        for (i : 0 .. SERVERS * REQUESTS - 1) {
            select(kind : 1 .. KINDS);
            if
            :: REQUESTS == 1 && isAlike && kind < least -> kind = least
            :: else
            fi;
            least = kind;
            wanted[i].counter[0] = (kind == 4 -> 0 : (kind == 3 -> 2 : 1));
            wanted[i].counter[1] = (kind >= 2 -> 1 : 0)
        }
        for (i : 0 .. SERVERS - 1) { session[current(i)].state = (i == 1 && !isAlike -> CLOSED : IDLE) }
        kind = 0; least = 0;
        run Replication();
        run Faults();
#ifdef MOVES
        run Mover();
#endif
        for (i : 0 .. SERVERS - 1) { run Late(late(i)); run Server(i) }
        i = 0
    }
}
