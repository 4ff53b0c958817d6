-- Notes in the session which server it is on, for the statements to compare. A session does not outlive its server.
SET @ringfence = /*identity*/
