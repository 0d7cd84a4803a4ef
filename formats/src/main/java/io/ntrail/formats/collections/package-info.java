/**
 * Primitive collections: growing arrays, tables of parallel columns, hash indexes and maps, sorts
 * and searches without an object for each element. See decisions/0024.
 *
 * <p>What all of them promise:
 *
 * <ul>
 *   <li><b>Growth</b>: arrays double while they are small, then grow by half ({@link
 *       io.ntrail.formats.collections.Growth}); hash tables grow when they are half full. Nothing
 *       shrinks. {@code clear()} keeps the memory. {@link io.ntrail.formats.collections.Columns}
 *       can have a limit of rows, for callers who must stay within a share of the memory.
 *   <li><b>Hashing</b>: multiply-shift with factors that are drawn when the program starts ({@link
 *       io.ntrail.formats.collections.Hashing}). Keys come out of files that may be hostile: no
 *       file can be made whose keys all collide.
 *   <li><b>Missing</b>: row numbers and values of {@code LongIntMap} are never negative, -1 is
 *       "none"; a missing value of {@code LongLongMap} is 0. Every key is allowed, 0 and -1 too.
 *   <li><b>Order</b>: what can be iterated is in the order of insertion, never in that of the hash
 *       table, so that results are the same in every run.
 *   <li><b>Ranges</b>: an index that does not exist is an {@code IndexOutOfBoundsException} in the
 *       lists; columns check it against their capacity only.
 *   <li><b>Threads</b>: several threads may read what none changes; nothing is synchronized.
 * </ul>
 *
 * <p>Arrays handed out by {@code array()} are the storage itself, for hot loops: valid until the
 * next element is added, and longer than what they hold.
 */
@NullMarked
package io.ntrail.formats.collections;

import org.jspecify.annotations.NullMarked;
