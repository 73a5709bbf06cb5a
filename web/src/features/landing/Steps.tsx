import { pictureSize, productPictures } from "./productPictures";
import { stepsMessages as messages } from "./Steps.messages";
import styles from "./Steps.module.css";

const steps = ["find", "run", "prove", "keep"] as const;

/** How the product is used, in steps with a picture each. */
export function Steps() {
  return (
    <ol className={styles.steps}>
      {steps.map((step) => (
        <li key={step}>
          <img src={productPictures[step]} alt={messages[step].picture} loading="lazy" {...pictureSize} />
          <h3>{messages[step].title}</h3>
          <p>{messages[step].text}</p>
        </li>
      ))}
    </ol>
  );
}
