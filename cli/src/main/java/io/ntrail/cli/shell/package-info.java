/**
 * The program around the commands: finds the command that was requested, runs it, and answers for
 * all of them (help, manual pages, completion, {@code doctor}).
 */
@NullMarked
package io.ntrail.cli.shell;

import org.jspecify.annotations.NullMarked;
