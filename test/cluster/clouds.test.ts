import './aws-databases.ts';
import './gcp.ts';
