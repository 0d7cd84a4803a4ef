/**
 * A second reader of dump files, written from the description of the format alone: threads with
 * their registers, modules, memory, the exception. It reads what tests ask for and checks nothing
 * else.
 */
@NullMarked
package io.ntrail.testkit.dump;

import org.jspecify.annotations.NullMarked;
