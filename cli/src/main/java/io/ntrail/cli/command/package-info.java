/**
 * One class a command. A command declares its options ({@link
 * io.ntrail.cli.command.Command#spec()}); help, completion and man pages come from that. It asks
 * the analysis for an answer and prints it with the writers of {@code text}: nothing that a user of
 * the library would need is in here.
 */
@NullMarked
package io.ntrail.cli.command;

import org.jspecify.annotations.NullMarked;
